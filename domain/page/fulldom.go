package page

import "slices"

// ReasonPartial is why the whole page is asked for after a partial one.
const ReasonPartial = "The filtered tree does not show what is needed"

// NeedFullDOM reports whether to ask for the whole document (spec: needs_full_dom),
// and why: the page has nothing to act on, or not the element sought ("" for none in
// particular). It never asks if the whole document was sent.
func NeedFullDOM(p Page, sought string) (reason string, need bool) {
	switch {
	case p.Mode == ModeFull:
		return "", false
	case !p.hasTarget():
		return "the page you sent has no element to act on", true
	case sought == "", p.Mode == "":
		return "", false
	case p.Partial():
		return ReasonPartial, true
	case p.Mode == ModeSkeleton, p.Mode == ModeHybrid:
		return "Element not found in skeleton", true
	}
	return "Element not found in the semantic tree", true
}

// hasTarget reports whether the page has an element to act on.
func (p Page) hasTarget() bool {
	return slices.ContainsFunc(p.Elements, func(e Element) bool { return e.ID != "" && !e.State.Hidden })
}

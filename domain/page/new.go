package page

// NewKeys returns the keys of the elements that were not on the page before. It is
// empty if that page is not known, was cut or is partial, and if most of the page is new: then it
// is another page.
func NewKeys(before Skeleton, now Page) map[string]bool {
	if len(before.Elements) == 0 || before.Cut || before.Partial {
		return nil
	}
	after := now.Skeleton().Elements
	out := map[string]bool{}
	for j, i := range pair(before.Elements, after).before {
		if i < 0 && after[j].Key != "" {
			out[after[j].Key] = true
		}
	}
	if 2*len(out) > len(after) && len(out) > fewNew {
		return nil
	}
	return out
}

// fewNew elements may be most of a small page.
const fewNew = 5

package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// fit are the elements that fit a purpose equally well.
type fit struct {
	// all of them, in page order: what a question lists and a reply counts.
	all []page.Element
	// left are those that may still be clicked: without what was tried, its
	// twins, and what the user's reply excludes.
	left  []page.Element
	score float64
}

// bestFit returns the elements with the highest score. spent says which were tried.
func bestFit(v *View, list []page.Element, score func(page.Element) float64, spent func(page.Element) bool) fit {
	return bestFitAmong(v, list, list, score, spent)
}

// bestFitLeft is bestFit that goes on to the next lower score when all of the best
// were tried.
func bestFitLeft(v *View, list []page.Element, score func(page.Element) float64, spent func(page.Element) bool) fit {
	rest := list
	for {
		f := bestFitAmong(v, rest, list, score, spent)
		if len(f.all) == 0 || len(f.left) > 0 {
			return f
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(e page.Element) bool { return score(e) >= f.score })
	}
}

// bestFitAmong is bestFit for list; twins of what was tried are looked for in among.
func bestFitAmong(v *View, list, among []page.Element, score func(page.Element) float64, spent func(page.Element) bool) fit {
	top, high := best(list, score)
	f := fit{all: distinct(v, top, spent), score: high}
	if e, ok := chosenInReply(v, f.all); ok && len(f.all) > 1 {
		f.left = unspent([]page.Element{e}, spent)
		return f
	}
	f.left = unspent(f.all, spent)
	if len(f.left) > 0 && len(v.past) > 0 {
		f.left = withoutTwins(v, f.left, among, func(e page.Element) bool { return score(e) > 0 && spent(e) })
	}
	return f
}

// one is the element left, if there is exactly one.
func (f fit) one() (page.Element, bool) {
	if len(f.left) != 1 {
		return page.Element{}, false
	}
	return f.left[0], true
}

// never, failedClick and triedClick say which elements were tried: none, those a
// click failed on, and those that were clicked at all.
func never(page.Element) bool { return false }

func (v *View) failedClick(e page.Element) bool { return failedAt(v, action.Click, e) }

func (v *View) triedClick(e page.Element) bool { return v.failedClick(e) || clicked(v, e) }

func unspent(list []page.Element, spent func(page.Element) bool) []page.Element {
	if !slices.ContainsFunc(list, spent) {
		return slices.Clip(list) // elements are large, and there may be thousands
	}
	return slices.DeleteFunc(slices.Clone(list), spent)
}

// withoutTwins removes the twins of what was tried: that one of two failed does not
// make the other the right one. Links to the same address are no such twins.
func withoutTwins(v *View, list, among []page.Element, spent func(page.Element) bool) []page.Element {
	var tried []page.Element
	for _, e := range among {
		if spent(e) {
			tried = append(tried, e)
		}
	}
	return unspent(list, func(e page.Element) bool {
		return slices.ContainsFunc(tried, func(t page.Element) bool {
			return twins(v, e, t) && (address(v, e) == "" || address(v, e) != address(v, t))
		})
	})
}

// twins reports whether two elements have the same role and the same label.
func twins(v *View, a, b page.Element) bool {
	if a.ID == b.ID || a.Role != b.Role {
		return false
	}
	w := v.words(a.Label())
	return text.Same(a.Label(), b.Label()) || len(w) > 0 && slices.Equal(w, v.words(b.Label()))
}

// distinct keeps one of several links to the same address: the first that was not
// tried yet.
func distinct(v *View, list []page.Element, spent func(page.Element) bool) []page.Element {
	if len(list) < 2 || !slices.ContainsFunc(list, func(e page.Element) bool { return e.Role == "link" }) {
		return list
	}
	var out []page.Element
	at := map[string]int{} // address to index in out
	for _, e := range list {
		to := address(v, e)
		i, known := at[to]
		switch {
		case to == "" || !known:
			at[to] = len(out)
			out = append(out, e)
		case spent(out[i]) && !spent(e):
			out[i] = e
		}
	}
	return out
}

// maxProof is the length up to which an address is compared: longer ones may have been
// cut.
const maxProof = 400

// address is where a link leads, "" if that is not certain. A bare fragment is often a
// button in disguise, except "#/" and "#!", which some sites use for their pages.
func address(v *View, e page.Element) string {
	if e.Role != "link" || e.Frame != "" || e.Href == "" || len(e.Href) > maxProof {
		return ""
	}
	if strings.HasPrefix(e.Href, "#") && !strings.HasPrefix(e.Href, "#/") && !strings.HasPrefix(e.Href, "#!") {
		return ""
	}
	base, err := weburl.Parse(v.page.URL)
	if err != nil {
		return ""
	}
	to, err := weburl.Resolve(base, e.Href)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return ""
	}
	to.Host = strings.ToLower(to.Host)
	if to.Path == "" {
		to.Path = "/"
	}
	return to.String()
}

package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
)

// fit are the elements that fit a purpose equally well.
type fit struct {
	// all of them, in page order: what a question lists and a reply counts in.
	all []page.Element
	// left are those a click may still go to: without what was tried in vain,
	// its twins, and what the user's reply leaves out.
	left  []page.Element
	score float64
}

// best are the elements of a list that fit a purpose best. spent tells which
// were tried.
func (v *view) best(list []page.Element, score func(page.Element) float64, spent func(page.Element) bool) fit {
	return v.bestOf(list, list, score, spent)
}

// bestLeft is best among those that are left: where all that fit best were
// tried, it goes on with what fits less well.
func (v *view) bestLeft(list []page.Element, score func(page.Element) float64, spent func(page.Element) bool) fit {
	rest := list
	for {
		f := v.bestOf(rest, list, score, spent)
		if len(f.all) == 0 || len(f.left) > 0 {
			return f
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(e page.Element) bool { return score(e) >= f.score })
	}
}

// bestOf is best, with an eye on the twins there are among more elements.
func (v *view) bestOf(list, among []page.Element, score func(page.Element) float64, spent func(page.Element) bool) fit {
	top, high := best(list, score)
	f := fit{all: v.distinct(top, spent), score: high}
	if e, ok := v.choice(f.all); ok && len(f.all) > 1 {
		f.left = unspent([]page.Element{e}, spent)
		return f
	}
	f.left = unspent(f.all, spent)
	if len(f.left) > 0 && len(v.past) > 0 {
		f.left = v.withoutTwins(f.left, among, func(e page.Element) bool { return spent(e) && score(e) > 0 })
	}
	return f
}

// one is the only element there is to take.
func (f fit) one() (page.Element, bool) {
	if len(f.left) != 1 {
		return page.Element{}, false
	}
	return f.left[0], true
}

// Which elements were tried, for a purpose: never, where trying does not use
// them up; by a click that failed; by a click that led nowhere.
func never(page.Element) bool                   { return false }
func (v *view) failedClick(e page.Element) bool { return v.failedAt(action.Click, e) }
func (v *view) triedClick(e page.Element) bool  { return v.failedClick(e) || v.clicked(e) }

func unspent(list []page.Element, spent func(page.Element) bool) []page.Element {
	if !slices.ContainsFunc(list, spent) {
		return slices.Clip(list) // an element is large, and of many alike there are thousands
	}
	return slices.DeleteFunc(slices.Clone(list), spent)
}

// withoutTwins leaves out the twins of what was tried: that one of them was the
// right one does not make the other the next best. Links to one place are both
// the right one.
func (v *view) withoutTwins(list, among []page.Element, spent func(page.Element) bool) []page.Element {
	var tried []page.Element
	for _, e := range among {
		if spent(e) {
			tried = append(tried, e)
		}
	}
	return unspent(list, func(e page.Element) bool {
		return slices.ContainsFunc(tried, func(t page.Element) bool {
			return v.twins(e, t) && (v.address(e) == "" || v.address(e) != v.address(t))
		})
	})
}

// twins reports whether nothing a person reads on two elements tells them apart.
func (v *view) twins(a, b page.Element) bool {
	if a.ID == b.ID || a.Role != b.Role {
		return false
	}
	w := v.words(label(a))
	return sameText(label(a), label(b)) || len(w) > 0 && slices.Equal(w, v.words(label(b)))
}

// distinct leaves one of several links to the same address: the first that was
// not tried yet. Which of them is clicked makes no difference.
func (v *view) distinct(list []page.Element, spent func(page.Element) bool) []page.Element {
	if len(list) < 2 || !slices.ContainsFunc(list, func(e page.Element) bool { return e.Role == "link" }) {
		return list
	}
	var out []page.Element
	at := map[string]int{} // address to index in out
	for _, e := range list {
		to := v.address(e)
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

// maxProof is the longest address that proves anything: readers of pages cut
// longer ones.
const maxProof = 400

// address is where a link certainly leads, "" if that is not known. A link with
// a bare fragment is often a button in disguise, apart from "#/" and "#!" by
// which some sites name their pages.
func (v *view) address(e page.Element) string {
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

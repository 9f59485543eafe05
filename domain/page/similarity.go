package page

const (
	// ReplanBelow is the similarity below which a plan made for the page before is
	// checked (spec: DOM similarity < 70 %).
	ReplanBelow = 0.70
	// Weights of interactive elements and of layout (spec: interactive 40 %,
	// structure 60 %).
	interactiveWeight = 0.40
	structureWeight   = 0.60
)

// Similarity is the Jaccard index of two pages' element signatures, from 0 to 1. Two
// fifths are the interactive elements (role, name and target), three fifths the
// layout. A Page has no tree of tags; its layout is how many elements of which role
// are in which form, dialog, row or region. Values, states, ids, order and ticking
// texts do not count. Only the elements in the skeletons are compared. Two empty
// pages are alike.
func Similarity(a, b Skeleton) float64 {
	control := func(d Descriptor) signature { return signature{d.Role, dropTicking(d.Name, false), target(d.Href)} }
	place := func(d Descriptor) signature { return signature{d.Role, dropTicking(d.Group, false), ""} }
	return interactiveWeight*jaccard(a, b, control) + structureWeight*jaccard(a, b, place)
}

type signature [3]string

// jaccard compares multisets: twenty of a kind are not one.
func jaccard(a, b Skeleton, sign func(Descriptor) signature) float64 {
	left := make(map[signature]int, len(a.Elements))
	for _, d := range a.Elements {
		left[sign(d)]++
	}
	common := 0
	for _, d := range b.Elements {
		if s := sign(d); left[s] > 0 {
			left[s]--
			common++
		}
	}
	all := len(a.Elements) + len(b.Elements) - common
	if all == 0 {
		return 1
	}
	return float64(common) / float64(all)
}

// Drift is why a plan may no longer fit the page.
type Drift string

// The kinds of drift (spec: re-planning triggers).
const (
	NoDrift         Drift = ""
	DriftURL        Drift = "url"
	DriftSimilarity Drift = "similarity"
)

// Drifted compares the page now with the one before: another view by its URL, or a
// similarity below ReplanBelow. The specification's third trigger, a major change of
// structure, is included: with less than half the structure in common the similarity
// is at most 0.70. A before state without a reading has only its URL.
func Drifted(before Before, now Page) Drift {
	switch {
	case path(before.URL) != path(now.URL):
		return DriftURL
	case before.Skeleton.Partial || now.Partial():
		return NoDrift // what differs may only have been left out
	case before.MeaningHash != "" && before.MeaningHash != now.MeaningHash && Similarity(before.Skeleton, now.Skeleton()) < ReplanBelow:
		return DriftSimilarity
	}
	return NoDrift
}

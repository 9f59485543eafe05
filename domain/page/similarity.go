package page

const (
	// ReplanBelow is the similarity under which a plan made for the page before
	// is looked at again (spec: DOM similarity < 70 %).
	ReplanBelow = 0.70
	// Weights of what there is to act on and of how it is laid out (spec:
	// interactive 40 %, structure 60 %).
	interactiveWeight = 0.40
	structureWeight   = 0.60
)

// Similarity says how alike two pages are, from 0 (nothing in common) to 1: the
// Jaccard index of their element signatures. Two fifths are what there is to
// act on (role, name and target of every element), three fifths how it is laid
// out. A page value has no tree of tags; its structure is how many elements of
// which role stand in which form, dialog, row or region. Values, states, ids and
// what ticks do not count, the order does not either. Of pages over MaxSkeleton
// only what the skeletons hold is compared. Two empty pages are alike.
func Similarity(a, b Skeleton) float64 {
	control := func(d Descriptor) signature { return signature{d.Role, steady(d.Name, false), target(d.Href)} }
	place := func(d Descriptor) signature { return signature{d.Role, steady(d.Group, false), ""} }
	return interactiveWeight*jaccard(a, b, control) + structureWeight*jaccard(a, b, place)
}

type signature [3]string

// jaccard compares bags: twenty of a kind are not one.
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

// Why a plan is looked at again (spec: re-planning triggers).
const (
	NoDrift         Drift = ""
	DriftURL        Drift = "url"
	DriftSimilarity Drift = "similarity"
)

// Drifted compares the page now with the one before: another view by its URL,
// or one less similar than ReplanBelow. The specification's third trigger, a
// major change of structure, is within the second: less than half a structure in
// common leaves 0.70 at most. A before state that was recorded without a reading
// has only its URL.
func Drifted(before Before, now Page) Drift {
	switch {
	case path(before.URL) != path(now.URL):
		return DriftURL
	case before.MeaningHash != "" && before.MeaningHash != now.MeaningHash && Similarity(before.Skeleton, now.Skeleton()) < ReplanBelow:
		return DriftSimilarity
	}
	return NoDrift
}

package page

import "math"

// Numbers of the prediction path (spec: confidence calculation). The mix is
// ours: selectors are guessed and often wrong, so the checks weigh less than the
// semantic answer.
const (
	clientFoundBoost    = 0.40
	notFoundCap         = 0.60
	navigatedFloor      = 0.75
	dropdownFloor       = 0.75
	semanticOverride    = 0.85 // above it the semantic answer outweighs failed checks
	checksWeight        = 0.40
	semanticWeight      = 0.60
	confidenceOfNothing = 0.50
)

// NextGoalCap bounds the confidence of an action after which something the next
// step requires is missing (spec: look-ahead, 0.5).
const NextGoalCap = 0.50

// Prediction is what is known of an expected outcome.
type Prediction struct {
	Kind   ActionKind
	Checks []Check
	// NextGoal is its check, nil where no next goal was predicted or it is not
	// required: then it is a warning only.
	NextGoal *Check
	// ClientFound is clientVerification.elementFound, nil if the client did not
	// say.
	ClientFound *bool
	// Semantic is the confidence of whoever was asked about the meaning, nil if
	// nobody was. A dropdown is judged by its behaviour alone.
	Semantic *float64
}

// Confidence is how sure it is that an expected outcome came about, from 0 to 1.
// It serves corrections, the look ahead and clients that predict; verdicts rest
// on observations. The checks that could tell count alike; the semantic answer
// is mixed in, or outweighs them above 0.85. A menu that expanded in place and a
// navigation that happened give at least 0.75, an element the client found adds
// 0.40. Caps come last: 0.60 for an element that should be there and is not
// (unless a navigation happened as expected), or that the client did not find;
// 0.50 for a missing next goal.
func (p Prediction) Confidence() float64 {
	c := p.mixed()
	navigated := p.Kind == KindNavigation && p.held(CheckURLChanged) == True
	if navigated {
		c = max(c, navigatedFloor)
	}
	if p.Kind == KindDropdown && p.held(CheckURLChanged) == True && p.held(CheckAttributeChanged) == True {
		c = max(c, dropdownFloor)
	}
	if isTrue(p.ClientFound) {
		c = min(1, c+clientFoundBoost)
	}
	missing := p.held(CheckElementExists) == False && !navigated
	if missing || p.ClientFound != nil && !*p.ClientFound {
		c = min(c, notFoundCap)
	}
	if p.NextGoal != nil && p.NextGoal.Held == False {
		c = min(c, NextGoalCap)
	}
	return c
}

// mixed weighs the checks against the semantic answer.
func (p Prediction) mixed() float64 {
	checks, checked := p.score()
	semantic, asked := p.semantic()
	switch {
	case !checked && !asked:
		return confidenceOfNothing
	case !checked:
		return semantic
	case !asked:
		return checks
	case semantic > semanticOverride && checks < semantic:
		return semantic
	}
	return checksWeight*checks + semanticWeight*semantic
}

// score is the share of the checks that held, of those that could tell.
func (p Prediction) score() (share float64, any bool) {
	held, told := 0, 0
	for _, c := range p.Checks {
		if c.Held != Unknown {
			told++
		}
		if c.Held == True {
			held++
		}
	}
	if told == 0 {
		return 0, false
	}
	return float64(held) / float64(told), true
}

// semantic is a usable semantic answer: one that is no number is none.
func (p Prediction) semantic() (float64, bool) {
	if p.Semantic == nil || p.Kind == KindDropdown || math.IsNaN(*p.Semantic) {
		return 0, false
	}
	return min(1, max(0, *p.Semantic)), true
}

// held joins the checks of a name: False if one failed, True if one held.
func (p Prediction) held(name CheckName) Truth {
	all := Unknown
	for _, c := range p.Checks {
		switch {
		case c.Name != name || c.Held == Unknown:
		case c.Held == False:
			return False
		default:
			all = True
		}
	}
	return all
}

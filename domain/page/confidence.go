package page

import "math"

// Weights of the prediction (spec: confidence calculation). Selectors are guessed and
// often wrong, so checks weigh less than the semantic answer.
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

// NextGoalCap bounds the confidence of an action after which something the next step
// requires is missing (spec: look-ahead, 0.5).
const NextGoalCap = 0.50

// Prediction is what is known of an expected outcome.
type Prediction struct {
	Kind   ActionKind
	Checks []Check
	// NextGoal is the check of a required next goal, nil if there is none.
	NextGoal *Check
	// ClientFound is clientVerification.elementFound, nil if the client did not
	// say.
	ClientFound *bool
	// Semantic is the confidence of a semantic answer, nil if nobody was asked. A
	// dropdown is judged by its behaviour alone.
	Semantic *float64
}

// Confidence is the probability, from 0 to 1, that the expected outcome came about.
// Corrections, look-ahead and clients that predict use it; verdicts rest on
// observations. All decided checks count alike; the semantic answer is mixed in, or
// outweighs them above 0.85. A menu that expanded in place and a navigation that
// happened give at least 0.75; an element the client found adds 0.40. Caps come last:
// 0.60 if an expected element is missing (unless a navigation happened as expected)
// or the client did not find it; 0.50 for a missing next goal.
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

// mixed combines the checks with the semantic answer.
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

// score is the share of decided checks that held.
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

// semantic returns the semantic answer if it is a number.
func (p Prediction) semantic() (float64, bool) {
	if p.Semantic == nil || p.Kind == KindDropdown || math.IsNaN(*p.Semantic) {
		return 0, false
	}
	return min(1, max(0, *p.Semantic)), true
}

// held combines the checks of a name: False if one failed, True if one held.
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

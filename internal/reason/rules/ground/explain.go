package ground

import (
	"fmt"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
)

// String is the need as a verb: click, fill, set, tick, see.
func (n Need) String() string {
	switch n {
	case ToClick:
		return "click"
	case ToFill:
		return "fill"
	case ToSet:
		return "set"
	case ToTick:
		return "tick"
	case ToSee:
		return "see"
	}
	return fmt.Sprintf("Need(%d)", int(n))
}

// Factor is how well an element fits one part of what was said of it, from 0, where it
// contradicts, to 1. Why is "" where there is nothing to say about it.
type Factor struct {
	Of    string // usable, need, saying, kind, name, attributes, place, exceptions, data
	Score float64
	Why   string
}

// Factors are what the score of an element is the product of. Of an element that is no
// candidate they end with the one that rules it out, and Why of that one is never "".
func (p *Page) Factors(r instruction.Reference, need Need, e page.Element) []Factor {
	out := []Factor{usable(e), {Of: "need", Score: needed(need, e)}}
	switch {
	case out[0].Score == 0:
		return out[:1]
	case out[1].Score == 0:
		out[1].Why = "a " + aRole(e.Role) + " is nothing to " + need.String()
		return out
	case isBare(r) && (need == ToClick || need == ToSee) && !p.shows(r.With, e):
		return append(out, Factor{Of: "saying", Why: "neither a name nor a kind was said"})
	}
	for _, part := range p.parts(r, need, e) {
		f := part.rate()
		if f.score == 0 {
			f.why = part.not
		}
		out = append(out, Factor{Of: part.of, Score: f.score, Why: f.why})
		if f.score == 0 {
			break
		}
	}
	return out
}

// usable says why nobody can act on an element now.
func usable(e page.Element) Factor {
	f := Factor{Of: "usable"}
	switch {
	case e.ID == "":
		f.Why = "it has no id"
	case e.State.Hidden:
		f.Why = "it is hidden"
	case e.State.Disabled:
		f.Why = "it is disabled"
	case e.State.Occluded:
		f.Why = "something covers it"
	default:
		f.Score = 1
	}
	return f
}

func aRole(role string) string {
	if role == "" || role == "generic" {
		return "thing without a role"
	}
	return role
}

// Called reports whether an element, usable or not, is called as a reference says: what
// a person would look at first, and so what needs an explanation if it is not meant.
func (p *Page) Called(r instruction.Reference, e page.Element) bool {
	return r.Name.Text != "" && p.nameOf(r, e).score >= hasWords
}

// Told says in a sentence how what is meant was chosen among the candidates, or why
// nothing is meant.
func (f Found) Told(r instruction.Reference) string {
	if len(f.All) == 0 {
		return "nothing on the page fits"
	}
	if f.All[0].Score < enough {
		return fmt.Sprintf("nothing is meant: the best has %.2f, and what is meant has at least %.2f", f.All[0].Score, enough)
	}
	within := margin
	if r.Position != 0 || many(r) {
		within = alike
	}
	n := sortedUntil(f.All, f.All[0].Score-within)
	alikes := fmt.Sprintf("the %d that fit alike (within %.2f of the best)", n, within)
	switch {
	case len(f.Meant) == 0 && r.Position != 0:
		return fmt.Sprintf("nothing is meant: %s have no %s", alikes, nthName(r.Position))
	case len(f.Meant) == 0:
		return "nothing is meant: the exceptions leave none of " + alikes
	case n == 1:
		return "one fits best"
	case r.Position != 0:
		return fmt.Sprintf("%s is meant of %s, in the order of the page", nthName(r.Position), alikes)
	case len(f.Meant) == n && many(r):
		return "meant are all of " + alikes
	case len(f.Meant) == n:
		return "which one is meant is not clear: nothing tells apart " + alikes
	}
	return fmt.Sprintf("by what else was said %d meant of %s", len(f.Meant), alikes)
}

// nthName is a position in words.
func nthName(position int) string {
	switch {
	case position == -1:
		return "last"
	case position < 0:
		return fmt.Sprintf("number %d from the end", -position)
	}
	return fmt.Sprintf("number %d", position)
}

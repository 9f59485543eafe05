package verdicts

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/stepledger/stepledger/internal/reason/rules/verdict"
)

// What a rule or a veto needs to stay: pages that need it, by hands that wrote them.
const (
	LeastPages = 3
	LeastHands = 2
)

// Support is what recorded cases say for a rule or a veto.
type Support struct {
	verdict.Row
	Cases, Pages, Hands int
	// Right and Wrong are the cases decided by the rule, Open those left undecided: by
	// itself, or by a veto. Worked are those of them that worked, which it costs to leave
	// them open.
	Right, Wrong, Open, Worked int
}

// UnderTheBar reports an id that too few pages need, and that is not given by anything
// else.
func (s Support) UnderTheBar() bool {
	return s.Given == "" && (s.Pages < LeastPages || s.Hands < LeastHands)
}

// SupportOf counts for every rule and veto, in the order they are asked.
func SupportOf(all []Judged) []Support {
	var out []Support
	for _, row := range verdict.Rows() {
		s := Support{Row: row}
		pages, hands := map[string]bool{}, map[string]bool{}
		for _, j := range all {
			if !spoke(row, j) {
				continue
			}
			pages[j.Split+"/"+j.Page], hands[j.Hand] = true, true
			s.add(j)
		}
		s.Pages, s.Hands = len(pages), len(hands)
		out = append(out, s)
	}
	return out
}

// spoke reports whether a row of the rules has to do with a verdict.
func spoke(row verdict.Row, j Judged) bool {
	if row.Veto {
		return j.Verdict.Veto == row.ID
	}
	return j.Verdict.Rule == row.ID
}

func (s *Support) add(j Judged) {
	s.Cases++
	switch {
	case j.Verdict.Undecided && j.Worked:
		s.Open, s.Worked = s.Open+1, s.Worked+1
	case j.Verdict.Undecided:
		s.Open++
	case j.Wrong():
		s.Wrong++
	default:
		s.Right++
	}
}

// enoughCases is from how many cases on the table says which rows are under the bar: on
// a few pages most are.
const enoughCases = 1000

// support prints the table, without rows that no case has to do with where there are few.
func (p *printer) support(all []Judged) {
	rows := [][]string{{"rule or veto", "chance", "cases", "pages", "hands", "right", "wrong", "left open", "of which worked", ""}}
	for _, s := range SupportOf(all) {
		if s.Cases == 0 && len(all) < enoughCases {
			continue
		}
		var chance, note string
		switch {
		case s.Veto:
			chance = "veto"
		case s.Chance > 0:
			chance = fmt.Sprintf("%.2f", s.Chance)
		default:
			chance = "open"
		}
		if s.UnderTheBar() && len(all) >= enoughCases {
			note = "UNDER THE BAR"
		}
		row := []string{s.ID, chance}
		for _, n := range []int{s.Cases, s.Pages, s.Hands, s.Right, s.Wrong, s.Open, s.Worked} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, cmp.Or(note, s.Given)))
	}
	p.printf("\nsupport, over all pages: a rule or veto stays if %d pages by %d hands need it, or for the reason given\n\n", LeastPages, LeastHands)
	p.table(rows)
}

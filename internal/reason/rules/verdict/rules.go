package verdict

import "slices"

// rules in the order they are asked: what the client could not do, what leaves nothing
// to see, what a field holds, refusals and errors before successes, what the action is
// for, and only then what else has changed.
var rules = slices.Concat(
	reportRules, fieldRules, errorRules, successRules, choiceRules, pageRules, openerRules, pickRules, controlRules,
	closingRules, goneRules, mistakenRules, formRules, contentRules, orderRules, clientRules, silenceRules,
)

// None is the id of a verdict that no rule gave.
const None = "none"

// Row is a rule or a veto for who wants to know what there is: the report on the
// recorded cases, the tests.
type Row struct {
	ID, Says, Example string
	Veto              bool
	Evidence          []string // the names of its facts
	Chance            float64  // 0 of a veto, and of a rule by which nobody can tell
	Given             string   // why it stands though few recorded pages need it, "" for others
}

// Rows are the rules in the order they are asked, then the vetoes.
func Rows() []Row {
	var rows []Row
	for _, r := range rules {
		rows = append(rows, Row{ID: r.id, Says: r.says, Example: r.example, Evidence: namesOf(r.when), Chance: r.chance, Given: r.given})
	}
	for _, v := range vetoes {
		rows = append(rows, Row{ID: v.id, Says: v.says, Example: v.example, Veto: true, Evidence: namesOf(v.when), Given: v.given})
	}
	return rows
}

func namesOf(facts []fact) []string {
	names := make([]string, len(facts))
	for i, f := range facts {
		names[i] = f.name
	}
	return names
}

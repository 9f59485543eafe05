package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// intent is a task as the rules understand it: parts to be done in order. With unclear
// pieces the task is never called done, and no form is sent.
type intent struct {
	parts   []part
	unclear []string
	// excess is what to tell the user about a task that is too long. Nothing of such
	// a task is done.
	excess string
}

// verb is what a part of a task is about.
type verb string

const (
	form   verb = "form"   // fill fields, perhaps open the form before and submit it after
	press  verb = "press"  // click one named control
	search verb = "search" // type into the search box and submit
	visit  verb = "visit"  // go to an address
)

// part is one thing to do.
type part struct {
	verb verb
	// object is what is created, opened or pressed: "patient", "Save".
	object string
	// action is the kind of form: "create", "login", or "" for one that is already
	// on the page.
	action string
	// said is the clause as the user wrote it.
	said   string
	fields []field
	// key: the object is a key of the keyboard, unless a control has its name.
	key string
	// submit: the form is to be sent. button is the control the task names for
	// it, "" for whatever the form has.
	submit bool
	button string
	value  string // search text or address
}

// field is one value the task gives.
type field struct {
	name    string // "" for the main one: add patient 'Jas'
	value   string
	kind    fieldKind
	replied bool // given in a reply, not in the task
}

type fieldKind int

const (
	typed  fieldKind = iota // a value for a text field or a select
	option                  // one of several: a select's option, a radio
	tick                    // a checkbox; value is "true" or "false"
)

// verbs are the words a part of a task begins with, longest first, each with how the
// rest is read.
var verbs = func() []verbWord {
	var out []verbWord
	for kind, list := range words.Under("verb") {
		for _, v := range list {
			out = append(out, verbWord{strings.Fields(v), kind})
		}
	}
	slices.SortFunc(out, func(a, b verbWord) int {
		if len(a.words) != len(b.words) {
			return len(b.words) - len(a.words)
		}
		return slices.Compare(a.words, b.words)
	})
	return out
}()

type verbWord struct {
	words []string
	kind  string
}

// startsVerb finds the verb at the start of ts and how many tokens it takes.
func startsVerb(ts []token) (kind string, n int) {
	for _, v := range verbs {
		if len(ts) >= len(v.words) && slices.EqualFunc(ts[:len(v.words)], v.words, isWord) {
			return v.kind, len(v.words)
		}
	}
	return "", 0
}

func isWord(t token, w string) bool { return !t.quoted && t.low == w }

// polite are words before a verb that change nothing.
var polite = words.Set("polite")

// maxTask (bytes) and maxPieces (values to enter, things to press, unclear pieces)
// bound the work a task can cause. The longest of 500 real tasks had 400 bytes and a
// dozen values.
const (
	maxTask   = 10_000
	maxPieces = 100
)

// parseIntent reads a task. lex are known field names besides the usual ones: those of
// the page and of fields filled before, so that "ward North" can be read where a form
// has a Ward.
func parseIntent(query string, lex fieldNames) intent {
	if len(query) > maxTask {
		return tooMuch(query, "is longer than I can take in at once")
	}
	var in intent
	pieces := 0
	for _, clause := range clauses(tokenize(query)) {
		r := reader{src: query, lex: lex}
		r.clause(clause)
		pieces += len(r.unclear)
		for _, p := range r.parts {
			pieces += max(len(p.fields), 1)
			in.add(p)
		}
		in.unclear = append(in.unclear, r.unclear...)
		if pieces > maxPieces {
			return tooMuch(query, "has more parts than I can take in at once")
		}
	}
	return in
}

func tooMuch(query, why string) intent {
	return intent{unclear: []string{query}, excess: "The task " + why + ". Please tell me the first part of it in fewer words, and the rest when that is done."}
}

// add joins what belongs to one form: fields named in several sentences, and the
// button that ends them.
func (in *intent) add(p part) {
	if len(in.parts) == 0 {
		in.parts = append(in.parts, p)
		return
	}
	last := &in.parts[len(in.parts)-1]
	open := last.verb == form && last.button == ""
	switch {
	case open && p.verb == form && p.action == "":
		last.fields = append(last.fields, p.fields...)
	case open && p.verb == press && SendsForm(p.object) && (last.action == "" || !leadsOnName(text.Key(p.object))):
		last.submit, last.button = true, p.object
	default:
		in.parts = append(in.parts, p)
	}
}

var (
	partEnds   = words.Set("part-end")
	partJoints = words.Set("part-joint")
)

// clauses cuts a task where another thing to do begins: at the end of a sentence, at
// "then", and at a comma or "and" followed by a verb.
func clauses(ts []token) [][]token {
	var out [][]token
	start := 0
	cut := func(end, next int) {
		if end > start {
			out = append(out, ts[start:end])
		}
		start = next
	}
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		switch {
		case t.quoted:
		case t.mark && strings.Contains(".;!?", t.low), partEnds[t.low]:
			cut(i, i+1)
		case partJoints[t.low]:
			j := skipPolite(ts, i+1)
			kind, n := startsVerb(ts[j:])
			if kind != "" && imperative(kind, ts[j+n:]) {
				cut(i, j)
			}
			i = max(i, j+n-1) // no clause begins before that
		}
	}
	cut(len(ts), len(ts))
	return out
}

// imperative excludes verbs that are nouns as well: "and new password 'x'" and "and
// contact, open hours" do not begin another thing to do.
func imperative(kind string, rest []token) bool {
	return kind != "create" || len(rest) == 0 || !rest[0].mark
}

func skipPolite(ts []token, i int) int {
	for i < len(ts) && !ts[i].quoted && polite[ts[i].low] {
		if kind, _ := startsVerb(ts[i:]); kind != "" {
			break // "go to" begins with a word that is polite elsewhere
		}
		i++
	}
	return i
}

// submitWords name controls that send a form.
var submitWords = words.Set("sends")

// SendsForm reports whether a control of that name may send a form.
func SendsForm(name string) bool { return sendsForm(text.Key(name)) }

// sendsForm is SendsForm for the words of a name.
func sendsForm(k []string) bool {
	return slices.ContainsFunc(k, func(w string) bool { return submitWords[w] })
}

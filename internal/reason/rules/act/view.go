package act

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// View is everything a decision rests on: the task as understood, the page, and what
// was done so far. It remembers what it has worked out and is not safe for concurrent
// use.
type View struct {
	page page.Page
	in   intent
	// program is the task as it says what to do; plain: that is all there is to it.
	program instruction.Program
	plain   bool
	steps   []reasoning.Step
	past    []pastStep
	cursor  int // steps before it belong to parts that are done
	skills  []reasoning.Skill
	// replies are answers of the user that name no field: a value, a choice, a yes.
	// The latest is the last.
	replies []string
	// told are things to do that the user named in a reply, for when the task alone
	// leads no further.
	told []part
	// successes and errors are messages of the page or the client since the last
	// action.
	successes, errors []string
	// came are the names of the controls that appeared after the last action.
	came []string
	// news says that something new appeared after the last action.
	news  bool
	heads [][]string // see headings; nil until asked for
	goal  []string   // the task's words, to tell whether a skill is about it
	index index
	ctx   context.Context // ends when the time for the question does; nil has no end
}

// NewView reads the task, the user's answers and the steps taken. When ctx ends, the
// search for a move stops early and the move is worthless: the caller checks ctx.Err.
// A nil ctx has no end.
func NewView(ctx context.Context, q reasoning.ActQuestion) *View {
	v := &View{page: q.Page, skills: q.Skills, goal: text.Key(q.Query), ctx: ctx, steps: q.Steps}
	for _, s := range q.Steps {
		v.past = append(v.past, pastStepsOf(s)...)
	}
	takeMessages(v, q.LastObservations)
	lex := knownFieldNames(v)
	answers := readTask(v, q.Query, q.Answers, lex)
	v.program = instruction.Read(q.Query)
	v.plain = isPlain(v.program, v.in)
	readAsOptions(v)
	readAsControlName(v)
	for _, a := range answers {
		if v.late() {
			break
		}
		takeReply(v, a, lex)
	}
	return v
}

// readTask reads the task and returns the replies that are left. A user who was told
// that the task is too long replies with another one.
func readTask(v *View, query string, answers []string, lex fieldNames) []string {
	v.in = parseIntent(query, lex)
	for v.in.excess != "" && len(answers) > 0 && !v.late() {
		v.in = parseIntent(answers[0], lex)
		answers = answers[1:]
	}
	return answers
}

// readAsOptions takes an unclear piece of the task that is the name of an option on
// the page, or of one chosen before, as that choice: "a patient, female, with …".
func readAsOptions(v *View) {
	at := slices.IndexFunc(v.in.parts, func(p part) bool { return p.verb == form })
	if at < 0 {
		return
	}
	p := &v.in.parts[at]
	v.in.unclear = slices.DeleteFunc(v.in.unclear, func(piece string) bool {
		if v.late() {
			return false
		}
		f := field{value: piece, kind: option}
		exact := func(e page.Element) bool {
			o, ok := optionOf(v, e, piece)
			return ok && text.Same(o.Label, piece) || e.Role == "radio" && text.Same(e.Label(), piece)
		}
		known := v.wasSet(f) || locateSlot(v, *p, f).found() && slices.ContainsFunc(v.page.Elements, exact)
		if known {
			p.fields = append(p.fields, f)
		}
		return known
	})
}

// readAsControlName takes a task that is exactly the name of a control as a click on
// it.
func readAsControlName(v *View) {
	if len(v.in.parts) == 0 && len(v.in.unclear) == 1 && isControlName(v, v.in.unclear[0]) {
		v.in.parts, v.in.unclear = []part{{verb: press, object: v.in.unclear[0]}}, nil
	}
}

// knownFieldNames are the labels of the page's fields and of those acted on before, so
// that a task reads the same on the page after the form as on the form.
func knownFieldNames(v *View) fieldNames {
	l := fieldNames{}
	for _, e := range v.page.Elements {
		if e.IsField() || e.IsTick() {
			l.addKey(v.labelKey(e.Label()))
			if e.Role == "radio" {
				l.addKey(v.labelKey(e.Group))
			}
		}
	}
	for _, step := range v.past {
		if page.IsFieldRole(step.role) {
			l.add(step.name)
		}
	}
	return l
}

// takeMessages keeps the messages, and the names of new controls, of the last
// observations.
func takeMessages(v *View, obs []page.Observation) {
	for _, o := range obs {
		switch {
		case o.Kind == page.ElementAppeared:
			_, name, _ := strings.Cut(o.Text, ` "`)
			v.came = append(v.came, strings.TrimSuffix(name, `"`))
		case o.Kind == page.ElementChanged && o.Attr == page.AttrText:
			v.came = append(v.came, o.To)
		}
		if o.Kind == page.ElementAppeared || o.Kind == page.ElementChanged || o.Kind == page.TextAppeared {
			v.news = true
		}
		if o.Kind != page.AlertAppeared && o.Kind != page.Witnessed {
			continue
		}
		text := o.To
		if text == "" {
			text = o.Text
		}
		switch o.Alert {
		case page.AlertSuccess:
			if says := lexicon.For(v.page.Language).Polarity(text); says == lexicon.Succeeded || says == lexicon.Neither {
				v.successes = append(v.successes, text)
			}
		case page.AlertError:
			v.errors = append(v.errors, text)
		}
	}
}

// takeReply takes in an answer of the user: named values become fields of the form and
// replace those of the task.
func takeReply(v *View, answer string, lex fieldNames) {
	in := parseIntent(answer, lex)
	at := slices.IndexFunc(v.in.parts, func(p part) bool { return p.verb == form })
	if at < 0 || len(in.parts) == 0 || len(in.unclear) > 0 || slices.ContainsFunc(in.parts, func(p part) bool { return namesNothing(v, p, lex) }) {
		v.replies = append(v.replies, strings.Trim(strings.TrimSpace(answer), `"'“”.`))
		if len(in.unclear) == 0 {
			v.told = append(v.told, slices.DeleteFunc(in.parts, func(p part) bool { return p.verb == form })...)
		}
		return
	}
	p := &v.in.parts[at]
	for _, given := range in.parts {
		for _, f := range given.fields {
			p.fields = slices.DeleteFunc(p.fields, func(old field) bool { return slices.Equal(v.labelKey(old.name), v.labelKey(f.name)) })
			f.replied = true
			p.fields = append(p.fields, f)
		}
	}
}

// namesNothing reports whether a part of a reply names no field: it is no form, or
// points at a control ("the second 'Save'", "'Save' in the header").
func namesNothing(v *View, p part, lex fieldNames) bool {
	return p.verb != form || len(p.fields) == 0 || slices.ContainsFunc(p.fields, func(f field) bool {
		points := len(text.Without(v.labelKey(f.name), replyWords, text.SetOf(places))) == 0 || isControlName(v, f.value)
		return points && !lex.knows(f.name)
	})
}

// isControlName reports whether a control of that name is on the page or was clicked
// before.
func isControlName(v *View, name string) bool {
	return slices.ContainsFunc(v.page.Elements, func(e page.Element) bool { return e.IsControl() && text.Same(name, e.Label()) }) ||
		slices.ContainsFunc(v.past, func(step pastStep) bool { return page.IsControlRole(step.role) && text.Same(name, step.name) })
}

// Next returns the first thing still to be done: what the page wants confirmed comes
// before the next part of the task, and before its end.
func (v *View) Next() Move {
	if v.in.excess != "" {
		return asTold(v, Move{Move: do.Move{Reason: v.in.excess}})
	}
	m := nextUncovered(v)
	if c, ok := confirmation(v, m); ok {
		return c
	}
	if u, ok := leaveModal(v, m); ok {
		return u
	}
	return m
}

// nextOfParts is the first move of a part that is not done.
func nextOfParts(v *View) Move {
	if !v.plain {
		return nextOfForms(v)
	}
	begun := slices.ContainsFunc(v.steps, func(s reasoning.Step) bool { return s.For.Step > 0 })
	if begun || len(v.in.unclear) > 0 || saysWhere(v.program) {
		return nextPlain(v)
	}
	m := nextOfForms(v)
	if m.Kind == do.IsAction {
		return m
	}
	if m.Kind == do.IsUnknown && !knowsBetter(v, m) {
		if n := nextPlain(v); n.Kind != do.IsUnknown {
			return n
		}
	}
	return m
}

// knowsBetter reports whether a form in which something was entered, or a list that was
// opened, is known not to have what the task gives for it: there is nothing to look for.
func knowsBetter(v *View, m Move) bool {
	if m.lacksOption {
		return !do.IsDate(m.lacks.value)
	}
	return m.lacks != (field{}) && lastSet(v) >= 0
}

// nextOfForms is the first move of a part that is not done, of the task as forms are
// filled in.
func nextOfForms(v *View) Move {
	if len(v.in.parts) == 0 {
		return unknown("understand what to do here")
	}
	var seen []string
	quote := ""
	for _, p := range v.in.parts {
		if v.late() {
			return Move{}
		}
		m := nextOfPart(v, p)
		if m.Kind == do.IsAction && len(v.in.unclear) > 0 && page.ClickMaySubmit(m.On) {
			return unclear(v.in.unclear) // what is sent with a part missing cannot be taken back
		}
		if m.Kind == do.IsUnknown {
			m = otherwise(v, p, m)
		}
		if m.Kind != do.IsDone {
			return m
		}
		seen = append(seen, m.Evidence)
		quote = cmp.Or(m.Quote, quote)
	}
	if len(v.in.unclear) > 0 {
		return unclear(v.in.unclear)
	}
	return finish(seen, quote)
}

// asTold does what the user said in a reply when the task alone led to m.
func asTold(v *View, m Move) Move {
	for _, p := range v.told {
		if v.late() {
			break
		}
		if t := nextOfPart(v, p); t.Kind == do.IsAction {
			return t
		}
	}
	return m
}

func nextOfPart(v *View, p part) Move {
	switch p.verb {
	case form:
		return nextOfForm(v, p)
	case press:
		return nextOfPress(v, p)
	case search:
		return nextOfSearch(v, p)
	default:
		return nextOfVisit(v, p)
	}
}

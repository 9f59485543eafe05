package rules

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// view is everything a decision rests on: the task as understood, the page,
// and what was done so far.
type view struct {
	page   page.Page
	in     intent
	past   []deed
	cursor int // deeds before it belong to parts that are done
	skills []reasoning.Skill
	// replies are answers of the user that name no field: a value, a choice,
	// a yes. Latest last.
	replies []string
	// told are things to do that the user named in a reply, for where the task
	// itself leads no further.
	told []part
	// successes and errors are messages the page or the client brought up since
	// the last action.
	successes, errors []string
	// came are the names of the controls that the last action brought.
	came []string
	// news says that the last action brought something new onto the page.
	news  bool
	heads [][]string // title, address and headings, once asked for
	goal  []string   // the task's words, to tell whether a skill is about it
	index index
	ctx   context.Context // ends when the time for the question does; nil has no end
}

func newView(ctx context.Context, q reasoning.ActQuestion) *view {
	v := &view{page: q.Page, skills: q.Skills, goal: key(q.Query), ctx: ctx}
	for _, s := range q.Steps {
		v.past = append(v.past, deedsOf(s)...)
	}
	v.hear(q.LastObservations)
	lex := v.lexicon()
	answers := v.read(q.Query, q.Answers, lex)
	v.clarify()
	v.named()
	for _, a := range answers {
		if v.late() {
			break
		}
		v.reply(a, lex)
	}
	return v
}

// read takes in the task, and gives the replies that are left. Who was told that a
// task has too many parts replies with another one.
func (v *view) read(query string, answers []string, lex fieldNames) []string {
	v.in = parseIntent(query, lex)
	for v.in.excess != "" && len(answers) > 0 && !v.late() {
		v.in = parseIntent(answers[0], lex)
		answers = answers[1:]
	}
	return answers
}

// clarify takes a piece of the task that is, by itself, the name of an option
// on the page, or was chosen as one before, for that choice: "a patient,
// female, with …".
func (v *view) clarify() {
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
			o, ok := v.optionOf(e, piece)
			return ok && sameText(o.Label, piece) || e.Role == "radio" && sameText(label(e), piece)
		}
		known := v.wasSet(f) || v.locate(*p, f).found() && slices.ContainsFunc(v.page.Elements, exact)
		if known {
			p.fields = append(p.fields, f)
		}
		return known
	})
}

// named takes a task that is, word for word, the name of a control for a click on it.
func (v *view) named() {
	if len(v.in.parts) == 0 && len(v.in.unclear) == 1 && v.isControlName(v.in.unclear[0]) {
		v.in.parts, v.in.unclear = []part{{verb: press, object: v.in.unclear[0]}}, nil
	}
}

// lexicon are the labels of the page's fields and of those acted on before, so
// that a task reads the same on the page after the form as on the form.
func (v *view) lexicon() fieldNames {
	l := fieldNames{}
	for _, e := range v.page.Elements {
		if isField(e) || isTick(e) {
			l.addKey(v.labelKey(label(e)))
			if e.Role == "radio" {
				l.addKey(v.labelKey(e.Group))
			}
		}
	}
	for _, d := range v.past {
		if fieldRoles[d.role] {
			l.add(d.name)
		}
	}
	return l
}

// hear keeps the messages among the observations.
func (v *view) hear(obs []page.Observation) {
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

// reply takes in an answer of the user: named values become fields of the
// form, replacing what the task said for them.
func (v *view) reply(answer string, lex fieldNames) {
	in := parseIntent(answer, lex)
	at := slices.IndexFunc(v.in.parts, func(p part) bool { return p.verb == form })
	if at < 0 || len(in.parts) == 0 || len(in.unclear) > 0 || slices.ContainsFunc(in.parts, func(p part) bool { return v.namesNothing(p, lex) }) {
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

// namesNothing reports whether a part of a reply names no field: it is no form,
// or points at a control ("the second 'Save'", "'Save' in the header").
func (v *view) namesNothing(p part, lex fieldNames) bool {
	return p.verb != form || len(p.fields) == 0 || slices.ContainsFunc(p.fields, func(f field) bool {
		points := len(without(v.labelKey(f.name), replyWords, asSet(places))) == 0 || v.isControlName(f.value)
		return points && !lex.knows(f.name)
	})
}

// isControlName reports whether a control of that name is on the page or was
// clicked before.
func (v *view) isControlName(name string) bool {
	return slices.ContainsFunc(v.page.Elements, func(e page.Element) bool { return isControl(e) && sameText(name, label(e)) }) ||
		slices.ContainsFunc(v.past, func(d deed) bool { return controlRoles[d.role] && sameText(name, d.name) })
}

// next is the first thing still to be done. What the page wants confirmed comes
// before whatever follows, and before the end.
func (v *view) next() move {
	if v.in.excess != "" {
		return v.asTold(move{reason: v.in.excess})
	}
	m := v.inOrder()
	if c, ok := v.confirmation(m); ok {
		return c
	}
	if u, ok := v.leaveModal(m); ok {
		return u
	}
	return m
}

// parts is the first move of a part that is not done.
func (v *view) parts() move {
	if len(v.in.parts) == 0 {
		return unknown("understand what to do here")
	}
	var seen []string
	quote := ""
	for _, p := range v.in.parts {
		if v.late() {
			return move{}
		}
		m := v.part(p)
		if m.kind == isUnknown {
			m = v.otherwise(p, m)
		}
		if m.kind != isDone {
			return m
		}
		seen = append(seen, m.evidence)
		quote = cmp.Or(m.quote, quote)
	}
	if len(v.in.unclear) > 0 {
		return unclear(v.in.unclear)
	}
	return finish(seen, quote)
}

// asTold does what the user said in a reply where the task alone led to m.
func (v *view) asTold(m move) move {
	for _, p := range v.told {
		if v.late() {
			break
		}
		if t := v.part(p); t.kind == isAction {
			return t
		}
	}
	return m
}

func (v *view) part(p part) move {
	switch p.verb {
	case form:
		return v.form(p)
	case press:
		return v.press(p)
	case search:
		return v.search(p)
	default:
		return v.visit(p)
	}
}

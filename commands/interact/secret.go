package interact

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// conceal is a text without secrets.
func conceal(text string, secrets []string) string { return secret.New(secrets...).Cut(text) }

func concealAll(texts, secrets []string) []string {
	out := secret.New(secrets...).CutAll(texts)
	if out == nil {
		out = []string{}
	}
	return out
}

// discreet is the request as it may be kept: what its words and addresses give
// away is known as secret from here on, and its addresses and the client's report
// are without it. Clients report their action back as they received it.
func (in incoming) discreet() incoming {
	known := in.at.State.Secrets
	var told []string
	if in.Query != in.at.State.Query || !in.at.State.Exists() {
		told = secret.Answered(in.at.State.Question, in.Query)
	}
	told = slices.Concat(told, in.boxed(), secret.InURLs(in.Capture.URL), secret.InURLs(in.PreviousURL))
	in.secrets = append(secret.Within(in.Query, known), missingFrom(known, told)...)
	set := secret.New(slices.Concat(known, in.secrets)...)
	in.address = in.Capture.URL
	in.Capture.URL, in.PreviousURL = set.Cut(in.Capture.URL), set.Cut(in.PreviousURL)
	in.Witness = in.Witness.MapText(set.Cut)
	return in
}

// fewBoxes is how many single characters in a row are the beginning of a code.
const fewBoxes = 3

// boxed is a code that is being typed into boxes, one character each, as the
// user's words have it: what they begin with is the rest of it.
func (in incoming) boxed() []string {
	known, typed := in.at.State.Secrets, ""
	for i := len(known) - 1; i >= 0 && len(known[i]) == 1; i-- {
		typed = known[i] + typed
	}
	if len(typed) < fewBoxes {
		return nil
	}
	for _, text := range append([]string{in.at.State.Query}, in.at.State.Replies...) {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if strings.HasPrefix(word, typed) {
				return []string{word}
			}
		}
	}
	return nil
}

// missingFrom are the values that are not known yet.
func missingFrom(known, values []string) []string {
	var out []string
	for _, v := range values {
		if !slices.Contains(known, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// know takes up what the page of a request gives away, so that the page as it is
// decided on, and as it is stored, is without it.
func (in incoming) know(l look) (incoming, look) {
	state := in.at.State
	var held []string
	for i := range l.page.Elements { // that a field was secret once makes it so
		if e := &l.page.Elements[i]; e.Value != "" && page.TakesText(*e) && slices.Contains(state.SecretFields, e.Key) && secret.Worth(e.Value) {
			held = append(held, e.Value)
		}
	}
	known := slices.Concat(state.Secrets, in.secrets)
	in.secrets = append(in.secrets, missingFrom(known, slices.Concat(l.redacted.Secrets, held))...)
	set := secret.New(slices.Concat(state.Secrets, in.secrets)...)
	in.Witness = in.Witness.MapText(set.Cut)
	l.shown = hidePage(l.page, set, state.SecretFields)
	for _, e := range l.shown.Elements {
		if e.State.Secret && e.Key != "" && !slices.Contains(state.SecretFields, e.Key) && len(in.secretFields) < maxSecretFields {
			in.secretFields = append(in.secretFields, e.Key)
		}
	}
	l.redacted = l.redacted.MapText(set.Cut)
	return in, l
}

// maxSecretFields is how many of a page's secret fields are remembered.
const maxSecretFields = 50

// hidePage is a page that does not show the secrets: whatever is decided, kept or
// asked of a model is made of it. A field that holds nothing else is as secret as
// its value.
func hidePage(p page.Page, set *secret.Set, fields []string) page.Page {
	changed := false
	p = p.MapText(func(text string) string {
		cut := set.Cut(text)
		changed = changed || cut != text
		return cut
	})
	for i := range p.Elements {
		e := &p.Elements[i]
		if e.Value != "" && (e.Value == secret.Mask || slices.Contains(fields, e.Key)) && page.TakesText(*e) {
			e.Value, e.State.Secret, changed = "", true, true
		}
	}
	if changed {
		page.AssignKeys(p.Elements)
		p.MeaningHash = page.MeaningHash(p)
	}
	return p
}

// secrets are those of the task so far and of this turn.
func (t *turn) secrets() []string {
	if t.secret == "" {
		return t.state.Secrets
	}
	return append(slices.Clip(t.state.Secrets), t.secret)
}

// typesSecret reports whether an action types nothing but a value known as
// secret: the field it is for is secret then, whatever it is called.
func (t *turn) typesSecret(a action.Action) bool {
	return a.Name == action.SetValue && a.Text != "" && conceal(a.Text, t.secrets()) == secret.Mask
}

// mask takes what is secret out of an action and keeps it for the executing
// client alone: the value typed into a secret field, or a text with a secret
// in it.
func (t *turn) mask(a action.Action, target task.Target) action.Action {
	if target.Secret && a.Name == action.SetValue {
		t.secret, a.Text = a.Text, secret.Mask
		return a
	}
	if a.Name == action.Navigate && a.Text == t.now.URL {
		a.Text = t.in.address // to load the page again takes all of it
	}
	if cut := conceal(a.Text, t.secrets()); cut != a.Text {
		t.text, a.Text = a.Text, cut
	}
	return a
}

// discreet is an answer whose words do not repeat a secret.
func (t *turn) discreet(a reasoning.ActAnswer) reasoning.ActAnswer {
	a.Thought, a.Expected = conceal(a.Thought, t.secrets()), t.discreetly(a.Expected)
	return a
}

func (t *turn) discreetly(o page.Outcome) page.Outcome {
	return o.MapText(func(text string) string { return conceal(text, t.secrets()) })
}

// told is what a task's end says, in the words given or else in the fallback,
// without repeating a secret.
func (t *turn) told(words, fallback string) string {
	return conceal(or(words, fallback), t.secrets())
}

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

// conceal removes secrets from a text.
func conceal(text string, secrets []string) string { return secret.New(secrets...).Cut(text) }

func concealAll(texts, secrets []string) []string {
	out := secret.New(secrets...).CutAll(texts)
	if out == nil {
		out = []string{}
	}
	return out
}

// withoutSecrets finds the secrets in the words and URLs of a request and removes
// them from its URLs and the client's report. Clients report an action back as they
// received it, secrets included.
func (in incoming) withoutSecrets() incoming {
	known := in.at.State.Secrets
	var told []string
	if in.Query != in.at.State.Query || !in.at.State.Exists() {
		told = secret.InReply(in.at.State.Question, in.Query)
	}
	told = slices.Concat(told, in.codeInBoxes(), secret.InURLs(in.Capture.URL), secret.InURLs(in.PreviousURL))
	in.secrets = append(secret.Within(in.Query, known), notIn(known, told)...)
	set := secret.New(slices.Concat(known, in.secrets)...)
	in.address = in.Capture.URL
	in.Capture.URL, in.PreviousURL = set.Cut(in.Capture.URL), set.Cut(in.PreviousURL)
	in.Witness = in.Witness.MapText(set.Cut)
	return in
}

// fewBoxes is how many single characters in a row are taken for the start of a code.
const fewBoxes = 3

// codeInBoxes returns the code that is being typed into one-character boxes: the word
// of the user that begins with the characters typed so far.
func (in incoming) codeInBoxes() []string {
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

// notIn returns the values that are not yet known.
func notIn(known, values []string) []string {
	var out []string
	for _, v := range values {
		if !slices.Contains(known, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// withPageSecrets adds the secrets found on the page to the request and removes them
// from the page, both as it is shown and as it is stored.
func (in incoming) withPageSecrets(l look) (incoming, look) {
	state := in.at.State
	var held []string
	for i := range l.page.Elements { // that a field was secret once makes it so
		if e := &l.page.Elements[i]; e.Value != "" && page.TakesText(*e) && slices.Contains(state.SecretFields, e.Key) && secret.Worth(e.Value) {
			held = append(held, e.Value)
		}
	}
	known := slices.Concat(state.Secrets, in.secrets)
	in.secrets = append(in.secrets, notIn(known, slices.Concat(l.redacted.Secrets, held))...)
	set := secret.New(slices.Concat(state.Secrets, in.secrets)...)
	in.Witness = in.Witness.MapText(set.Cut)
	l.shown = redactPage(l.page, set, state.SecretFields)
	for _, e := range l.shown.Elements {
		if e.State.Secret && e.Key != "" && !slices.Contains(state.SecretFields, e.Key) && len(in.secretFields) < maxSecretFields {
			in.secretFields = append(in.secretFields, e.Key)
		}
	}
	l.redacted = l.redacted.MapText(set.Cut)
	return in, l
}

// maxSecretFields bounds the secret fields remembered of a page.
const maxSecretFields = 50

// redactPage removes the secrets from a page. Everything decided, stored or sent to a
// model is based on the result. A field that holds only a secret is marked secret.
func redactPage(p page.Page, set *secret.Set, fields []string) page.Page {
	changed := false
	p = p.MapText(func(text string) string {
		cut := set.Cut(text)
		changed = changed || cut != text
		return cut
	})
	holds := func(e page.Element) bool {
		return e.Value != "" && (e.Value == secret.Mask || slices.Contains(fields, e.Key)) && page.TakesText(e)
	}
	if changed = changed || slices.ContainsFunc(p.Elements, holds); changed {
		p.Elements = slices.Clone(p.Elements) // they may be the ones of the page that was read
		for i := range p.Elements {
			if e := &p.Elements[i]; holds(*e) {
				e.Value, e.State.Secret = "", true
			}
		}
		page.AssignKeys(p.Elements)
		p.MeaningHash = page.MeaningHash(p)
	}
	return p
}

// secrets returns the secrets of the task so far and of this turn.
func (t *turn) secrets() []string {
	if t.secret == "" {
		return t.state.Secrets
	}
	return append(slices.Clip(t.state.Secrets), t.secret)
}

// typesSecret reports whether an action types only a known secret; its field is then
// treated as secret, whatever its name.
func (t *turn) typesSecret(a action.Action) bool {
	return (a.Name == action.SetValue || a.Name == action.Type) && a.Text != "" && conceal(a.Text, t.secrets()) == secret.Mask
}

// mask removes secrets from an action and keeps them for the executing client: the
// value for a secret field, or a text that contains a secret.
func (t *turn) mask(a action.Action, target task.Target) action.Action {
	if target.Secret && (a.Name == action.SetValue || a.Name == action.Type) {
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

// withoutSecrets returns the answer with secrets removed from its texts.
func (t *turn) withoutSecrets(a reasoning.ActAnswer) reasoning.ActAnswer {
	a.Thought, a.Expected = conceal(a.Thought, t.secrets()), t.outcomeWithoutSecrets(a.Expected)
	return a
}

func (t *turn) outcomeWithoutSecrets(o page.Outcome) page.Outcome {
	return o.MapText(func(text string) string { return conceal(text, t.secrets()) })
}

// endMessage is the text a task ends with, the fallback if words is empty, without
// secrets.
func (t *turn) endMessage(words, fallback string) string {
	return conceal(orElse(words, fallback), t.secrets())
}

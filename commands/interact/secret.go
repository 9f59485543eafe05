package interact

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// secretMask stands for a secret value in everything but the answer sent.
const secretMask = "[secret]"

// shortSecret is the length below which a secret is not looked for in texts: its
// characters would be cut out of words that have nothing to do with it.
const shortSecret = 4

// conceal puts the mask where a text repeats a secret.
func conceal(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= shortSecret {
			text = strings.ReplaceAll(text, secret, secretMask)
		}
	}
	return text
}

func concealAll(texts, secrets []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = conceal(t, secrets)
	}
	return out
}

// hide is a witness without the secrets the client was given to type: clients
// report their action back as they received it.
func hide(w page.Witness, secrets []string) page.Witness {
	if len(secrets) == 0 {
		return w
	}
	w.SentinelMessage, w.Result = conceal(w.SentinelMessage, secrets), conceal(w.Result, secrets)
	for _, list := range []*[]string{&w.ErrorsDetected, &w.SuccessMessages, &w.RecentEvents, &w.DropdownOptions} {
		if *list != nil {
			*list = concealAll(*list, secrets)
		}
	}
	w.Refused = slices.Clone(w.Refused)
	for i := range w.Refused {
		w.Refused[i].Path = conceal(w.Refused[i].Path, secrets)
	}
	if w.Error != nil {
		e := *w.Error
		e.Message, e.Action = conceal(e.Message, secrets), conceal(e.Action, secrets)
		w.Error = &e
	}
	if w.Chain != nil {
		c := *w.Chain
		c.Executed = concealAll(c.Executed, secrets)
		w.Chain = &c
	}
	return w
}

// hidePage is a page that does not show the secrets: whatever is decided, kept or
// asked of a model is made of it.
func hidePage(p page.Page, secrets []string) page.Page {
	if len(secrets) == 0 {
		return p
	}
	p.Title, p.Text, p.Headings = conceal(p.Title, secrets), conceal(p.Text, secrets), concealAll(p.Headings, secrets)
	p.Alerts = slices.Clone(p.Alerts)
	for i := range p.Alerts {
		p.Alerts[i].Text = conceal(p.Alerts[i].Text, secrets)
	}
	p.Elements = slices.Clone(p.Elements)
	for i := range p.Elements {
		e := &p.Elements[i]
		e.Name, e.Value = conceal(e.Name, secrets), conceal(e.Value, secrets)
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

// mask takes the value typed into a secret field out of the action and keeps it
// for the executing client alone.
func (t *turn) mask(a action.Action, target task.Target) action.Action {
	if target.Secret && a.Name == action.SetValue {
		t.secret, a.Text = a.Text, secretMask
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

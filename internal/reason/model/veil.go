package model

import (
	"errors"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
)

// A model never sees a secret. What is known to be one has a name in its prompts,
// and where the model writes the name into an action, the value takes its place
// here.

// veiled says of a task with names in it what they are.
const veiled = "\n(What is written as {secret 1} is kept from you. Where it has to be typed, write it as it stands here; the browser puts in the value.)"

// veil hides the secrets in the fields of a prompt.
func veil(on reasoning.On, fields map[string]string) map[string]string {
	v := secret.NewVeil(on.Secrets...)
	out := make(map[string]string, len(fields))
	for name, text := range fields {
		out[name] = v.Hide(text)
		if name == "Task" && v.Hides(out[name]) {
			out[name] += veiled
		}
	}
	return out
}

// unveil is an action as it is to be done.
func unveil(on reasoning.On, a action.Action) action.Action {
	a.Text = secret.NewVeil(on.Secrets...).Reveal(a.Text)
	return a
}

// blank is a text for the user.
func blank(on reasoning.On, text string) string { return secret.NewVeil(on.Secrets...).Blank(text) }

// errHidden refuses an address that a page showed without what it carries.
var errHidden = errors.New("a part of this address is kept from you: click the link instead")

func checkShown(address string) error {
	if strings.Contains(address, secretMask) {
		return errHidden
	}
	return nil
}

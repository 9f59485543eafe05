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

// maskedNote explains the names of secrets in a task.
const maskedNote = "\n(What is written as {secret 1} is kept from you. Where it has to be typed, write it as it stands here; the browser puts in the value.)"

// maskSecrets replaces secrets in the fields of a prompt by names.
func maskSecrets(on reasoning.On, fields map[string]string) map[string]string {
	v := secret.NewPlaceholders(on.Secrets...)
	out := make(map[string]string, len(fields))
	for name, text := range fields {
		out[name] = v.Insert(text)
		if name == "Task" && v.Has(out[name]) {
			out[name] += maskedNote
		}
	}
	return out
}

// unmaskSecrets puts the values back into an action.
func unmaskSecrets(on reasoning.On, a action.Action) action.Action {
	a.Text = secret.NewPlaceholders(on.Secrets...).Reveal(a.Text)
	return a
}

// blankSecrets replaces the names in a text for the user.
func blankSecrets(on reasoning.On, text string) string {
	return secret.NewPlaceholders(on.Secrets...).Mask(text)
}

// errHidden refuses a URL from which a page's secrets were removed.
var errHidden = errors.New("a part of this address is kept from you: click the link instead")

func checkShown(address string) error {
	if strings.Contains(address, secretMask) {
		return errHidden
	}
	return nil
}

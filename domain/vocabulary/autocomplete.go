package vocabulary

import (
	"slices"
	"strings"
)

// The tokens of HTML's autocomplete attribute, as far as they say whether a field
// is secret.
var (
	secretTokens = []string{
		"current-password", "new-password", "one-time-code", "cc-number", "cc-csc", "cc-exp", "cc-exp-month", "cc-exp-year",
	}
	ordinaryTokens = []string{
		"name", "honorific-prefix", "given-name", "additional-name", "family-name", "honorific-suffix", "nickname", "username",
		"organization-title", "organization", "street-address", "address-line1", "address-line2", "address-line3", "address-level4",
		"address-level3", "address-level2", "address-level1", "country", "country-name", "postal-code", "transaction-currency",
		"transaction-amount", "language", "bday", "bday-day", "bday-month", "bday-year", "sex", "url", "photo", "tel", "tel-country-code",
		"tel-national", "tel-area-code", "tel-local", "tel-extension", "email", "impp",
		// on the card, but not what it is guarded by
		"cc-name", "cc-given-name", "cc-additional-name", "cc-family-name", "cc-type",
	}
)

// SecretAutocomplete reports whether the tokens of an autocomplete attribute, in
// lower case, name a secret. said is false if they name nothing known.
func SecretAutocomplete(tokens string) (secret, said bool) {
	for t := range strings.FieldsSeq(tokens) {
		switch {
		case slices.Contains(secretTokens, t):
			return true, true
		case slices.Contains(ordinaryTokens, t):
			said = true
		}
	}
	return false, said
}

// AutocompleteTokens returns the tokens that name a secret, and those that name
// something else.
func AutocompleteTokens() (secret, ordinary []string) { return secretTokens, ordinaryTokens }

package dom

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isSecret decides whether what is typed into a field must never leave it:
// passwords, one-time codes, card data. The type alone is not enough: "show
// password" turns the field into a text field with the password in its value.
// Name is the accessible name, where it is known.
func isSecret(n *html.Node, a *attrs, name string) bool {
	switch {
	case n.DataAtom == atom.Input:
		if a.typ == "password" {
			return true
		}
		switch typeRoles[a.typ] {
		case "", "spinbutton": // what is typed into
		default:
			return false
		}
	case n.DataAtom != atom.Textarea:
		return false
	}
	return secretAutocomplete(a.autocomplete) || secretWords(a.name) || secretWords(a.id) ||
		secretWords(a.ariaLabel) || secretWords(a.placeholder) || secretWords(name)
}

func secretAutocomplete(tokens string) bool {
	for t := range strings.FieldsSeq(tokens) {
		switch t {
		case "current-password", "new-password", "one-time-code":
			return true
		case "cc-name", "cc-given-name", "cc-additional-name", "cc-family-name", "cc-type":
			// on the card, but not what it is guarded by
		default:
			if strings.HasPrefix(t, "cc-") {
				return true
			}
		}
	}
	return false
}

// secretLength is the longest text taken for the name of a secret field
// (bytes); a sentence that mentions a password is an instruction.
const secretLength = 60

var (
	secretParts = []string{
		"password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "contraseñ", "mot de passe", "senha",
		"wachtwoord", "пароль", "密码", "密碼", "パスワード", "비밀번호",
		"card number", "cardnumber", "creditcard", "credit card", "security code", "securitycode",
		"one time", "onetime", "social security", "api key", "apikey", "private key", "secret key", "recovery phrase",
	}
	secretWhole = set("pwd", "pass", "pin", "cvv", "cvv2", "cvc", "cvc2", "csc", "otp", "totp", "ssn", "mfa", "2fa")
)

// secretWords looks for the words by which people name secrets, in labels
// ("Card number") and in attributes ("card_number", "cardNumber").
func secretWords(s string) bool {
	if s == "" || len(s) > secretLength {
		return false
	}
	words := splitWords(s)
	for _, part := range secretParts {
		if strings.Contains(words, part) {
			return true
		}
	}
	for w := range strings.FieldsSeq(words) {
		if secretWhole[w] {
			return true
		}
	}
	return false
}

// splitWords is s in lower case with one space between words, camelCase and
// snake_case taken apart.
func splitWords(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	var last rune
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		if r != ' ' || last != ' ' {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return b.String()
}

// signature tells a field by all its attributes, so that its tag is found
// again among the tokens of the document wherever the parser moved the node.
func signature(n *html.Node) string {
	var b strings.Builder
	b.WriteString(n.Data)
	for _, a := range n.Attr {
		writeAttr(&b, a.Key, a.Val)
	}
	return b.String()
}

func writeAttr(b *strings.Builder, key, val string) {
	b.WriteByte(0)
	b.WriteString(key)
	b.WriteByte(1)
	b.WriteString(val)
}

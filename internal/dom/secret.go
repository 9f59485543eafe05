package dom

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

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
		secretWords(a.ariaLabel) || secretWords(a.placeholder) || secretWords(a.title) || secretWords(a.dataLabel) ||
		secretWords(name)
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
	secretParts = parts(
		"password", "passwd", "passcode", "passphrase", "passwort", "kennwort", "contraseñ", "mot de passe", "senha",
		"wachtwoord", "пароль", "密码", "密碼", "パスワード", "비밀번호",
		"card number", "cardnumber", "creditcard", "credit card", "security code", "securitycode",
		"one time", "onetime", "social security", "api key", "apikey", "private key", "secret key", "recovery phrase",
	)
	secretWhole = set("pwd", "pass", "pin", "cvv", "cvv2", "cvc", "cvc2", "csc", "otp", "totp", "ssn", "mfa", "2fa")
)

// part is looked for only where all its letters are: every field of a page is
// asked about, by each of its names.
type part struct {
	text    []byte
	letters uint32
}

func parts(texts ...string) []part {
	list := make([]part, len(texts))
	for i, s := range texts {
		list[i] = part{[]byte(s), lettersOf([]byte(s))}
	}
	return list
}

// lettersOf is the set of the letters a to z in s; the top bit stands for all
// other scripts.
func lettersOf(s []byte) (set uint32) {
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z':
			set |= 1 << (c - 'a')
		case c >= utf8.RuneSelf:
			set |= 1 << 31
		}
	}
	return set
}

// secretWords looks for the words by which people name secrets, in labels
// ("Card number") and in attributes ("card_number", "cardNumber").
func secretWords(s string) bool {
	if s == "" || len(s) > secretLength {
		return false
	}
	var buf [2 * secretLength]byte
	words := appendWords(buf[:0], s)
	letters := lettersOf(words)
	for _, p := range secretParts {
		if p.letters&^letters == 0 && bytes.Contains(words, p.text) {
			return true
		}
	}
	for rest := words; len(rest) > 0; {
		var w []byte
		if w, rest, _ = bytes.Cut(rest, space); secretWhole[string(w)] {
			return true
		}
	}
	return false
}

var space = []byte(" ")

// appendWords appends s in lower case with one space between words, camelCase
// and snake_case taken apart.
func appendWords(dst []byte, s string) []byte {
	var last rune
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			dst = append(dst, ' ')
		}
		if r != ' ' || last != ' ' {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		last = r
	}
	return dst
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

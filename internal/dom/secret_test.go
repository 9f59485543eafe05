package dom

import (
	"strings"
	"testing"
)

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func TestSecretWords(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"Password", "userPassword", "new_password", "Confirm password *", "PIN", "pin-code", "CVV", "cvc2", "OTP",
		"cardNumber", "card_number", "Card number", "creditCardNo", "Security code", "One-time code", "API key", "apiKey",
		"Passwort", "Contraseña", "Mot de passe", "密码", "パスワード", "Пароль", "SSN", "Recovery phrase",
	} {
		if !secretWords(s) {
			t.Errorf("%q is not taken for a secret", s)
		}
	}
	for _, s := range []string{
		"", "Email", "Shipping", "Opinion", "pinterest", "Compass", "Passenger", "Gift card", "Spin", "Area code", "Keyword",
		"Please enter the e-mail address with which you registered, we will send a password",
	} {
		if secretWords(s) {
			t.Errorf("%q is taken for a secret", s)
		}
	}
}

func TestRead_secretFields(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]bool{
		`<input type=password>`:                                         true,
		`<input type=PASSWORD>`:                                         true,
		`<input autocomplete="billing cc-csc">`:                         true,
		`<input autocomplete=cc-exp>`:                                   true,
		`<input autocomplete=cc-name>`:                                  false,
		`<input autocomplete=one-time-code>`:                            true,
		`<input autocomplete=username>`:                                 false,
		`<input type=tel name=pin>`:                                     true,
		`<input type=number placeholder=CVV>`:                           true,
		`<label>Password <input></label>`:                               true,
		`<table><tr><td>Card number<td><input></table>`:                 true,
		`<textarea aria-label="Recovery phrase"></textarea>`:            true,
		`<input type=checkbox aria-label="Show password">`:              false,
		`<input type=submit value="Reset password">`:                    false,
		`<input type=search aria-label="Search password managers">`:     false,
		`<button>Forgot password?</button>`:                             false,
		`<select name=card_number><option>Visa</option></select>`:       false,
		`<input aria-label=Email value=a@b.c>`:                          false,
		`<input type=hidden name=password value=x><input aria-label=a>`: false,
	} {
		p := read1(t, html)
		if len(p.Elements) != 1 {
			t.Errorf("%s: %d elements", html, len(p.Elements))
		} else if got := p.Elements[0].State.Secret; got != want {
			t.Errorf("%s: secret %t, want %t", html, got, want)
		}
	}
}

package secret_test

import (
	"slices"
	"testing"

	"github.com/stepledger/stepledger/domain/secret"
)

func TestTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Log in with email jo@x.example and password hunter2zz":   {"hunter2zz"},
		"Log in as jo with password 'Tr0ub4dor & 3' and continue": {"Tr0ub4dor & 3"},
		"password: swordfish":                             {"swordfish"},
		"password=swordfish":                              {"swordfish"},
		"pwd:hunter2, user: jo":                           {"hunter2"},
		"my password is hunter2.":                         {"hunter2"},
		"The PIN is 1234":                                 {"1234"},
		"Enter the verification code 482913":              {"482913"},
		"use API key AKIAIOSFODNN7EXAMPLE":                {"AKIAIOSFODNN7EXAMPLE"},
		"type 'X' into Password":                          {"X"},
		`enter "open sesame" in the "Password" field`:     {"open sesame"},
		"type hunter2 into the password field":            {"hunter2"},
		"set the Password field to hunter2!":              {"hunter2!"},
		"gib 'geheim' in Passwort ein":                    {"geheim"},
		"Mot de passe : 'azerty'":                         {"azerty"},
		"contraseña: perro9":                              {"perro9"},
		"hasło tajne123":                                  {"tajne123"},
		"введите 'икс' в Пароль":                          {"икс"},
		"密码：hunter2":                                      {"hunter2"},
		"pay with card 4111 1111 1111 1111, CVV 123":      {"123", "4111 1111 1111 1111"},
		"open https://jo:pw99@x.example/?token=abcd":      {"pw99", "abcd"},
		"send Authorization: Bearer abc123def456":         {"abc123def456"},
		"Reset my password now":                           nil,
		"Click Forgot password and go on":                 nil,
		"my password is wrong":                            nil,
		"Fill in password and email":                      nil,
		"Add a patient with name 'Jas' and email 'a@b.c'": nil,
		"Enter 'Jas' and save. Password is required.":     nil,
		"Buy 12 tokens and set quantity to 4":             nil,
		"order 4711, phone 0123456789012":                 nil,
		"Change the passcode of 'Ann' and 'Kim'":          nil,
		"click Next to password and then wait":            nil,
	} {
		if got := secret.InText(text); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		question, reply string
		want            []string
	}{
		{`What should I enter into "Password"?`, "swordfish", []string{"swordfish"}},
		{"Which verification code did you get?", "it is 482913", []string{"482913"}},
		{"What are the email and the password?", "jo@x.example hunter2", []string{"hunter2"}},
		{"What are the email and the password?", "I do not know", nil},
		{"Which ward?", "first", nil},
	} {
		if got := secret.InReply(tt.question, tt.reply); !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: got %q, want %q", tt.question, tt.reply, got, tt.want)
		}
	}
}

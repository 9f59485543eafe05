package slot

import (
	"strings"
	"testing"
)

// Every line of the file of words says a class or something a label asks for, once a
// language.
func TestWords(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"noise": true}
	for _, s := range sorts {
		known[s.sort] = true
	}
	section := ""
	for line := range strings.Lines(wordFile) {
		line = strings.TrimSpace(line)
		name, words, _ := strings.Cut(line, ": ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = line
		case words == "" || words != strings.ToLower(words):
			t.Errorf("%s: %q has no words, or words with capitals", section, line)
		case section == "[label]" && !known[name], section != "[label]" && classNames[name] == 0:
			t.Errorf("%s: nothing is called %q", section, name)
		}
	}
	if len(languages) < 2 {
		t.Errorf("%d languages", len(languages))
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(weightFile) {
		if !strings.HasPrefix(line, "#") {
			lines++
		}
	}
	if len(weights) != lines || lines == 0 {
		t.Errorf("%d weights in %d lines", len(weights), lines)
	}
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for text, word := range map[string]string{
		"Buche einen Flug von Berlin nach Paris": "nach", "Réserve un vol de Lyon pour Rome avec bagages": "avec", "Find a flight to Rome": "find", "火星": "from",
	} {
		if languageOf(tokenize(text))[word] == 0 {
			t.Errorf("%q is not read in the language of %q", text, word)
		}
	}
}

// The fit needs no file: a few fields teach it what an e-mail address is.
func TestFit(t *testing.T) {
	t.Parallel()
	var fields []typed
	for i, name := range []string{"Ann", "Bea", "Cleo", "Dora"} {
		mail := strings.ToLower(name) + "@example.org"
		query := "Sign up " + name + " Lee with the email " + mail
		site := string(rune('a' + i))
		fields = append(fields, typed{site, query, mail, field("Email"), nil}, typed{site, query, name, field("First name"), nil})
	}
	for _, g := range crossValidated(fields, 4) {
		if !g.right() {
			t.Errorf("%s of %q is given %q", g.field.Name, g.query, g.value)
		}
	}
	if a, b := printed(fit(fields), 8), printed(fit(fields), 8); a != b {
		t.Error("the same fields give other weights")
	}
}

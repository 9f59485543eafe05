package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words splits a text into whole lower-case words in one canonical wording:
// "E-mail address *", "email" and "Email:" are the same, "Preview" is not
// "prev". Everything that compares texts compares words, never substrings.
func words(s string) []string {
	out := make([]string, 0, 8)
	w := make([]byte, 0, 32)
	flush := func() {
		if len(w) > 0 {
			out = append(out, string(w))
			w = w[:0]
		}
	}
	var last rune
	for _, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			if unicode.IsUpper(r) && unicode.IsLower(last) {
				flush() // firstName
			}
			w = utf8.AppendRune(w, unicode.ToLower(r))
		case r == '\'' || r == '’':
			// O'Brien and O’Brien are one word
		default:
			flush()
		}
		last = r
	}
	flush()
	return canonical(out)
}

// phrases are other wordings for the same thing that hold on any site, by
// their first word: left becomes right. Longer ones come first.
var phrases = func() map[string][][2][]string {
	table := []struct{ from, to string }{
		{"date of birth", "birthdate"}, {"birth date", "birthdate"}, {"dob", "birthdate"}, {"born on", "birthdate"}, {"born", "birthdate"}, {"birthday", "birthdate"},
		{"e mail address", "email"}, {"e mail", "email"}, {"email address", "email"}, {"email id", "email"}, {"mail address", "email"},
		{"telephone number", "phone"}, {"phone number", "phone"}, {"phone no", "phone"}, {"telephone", "phone"}, {"tel", "phone"},
		{"mobile number", "mobile"}, {"mobile phone", "mobile"}, {"cell phone", "mobile"},
		{"zip code", "postcode"}, {"postal code", "postcode"}, {"post code", "postcode"}, {"zipcode", "postcode"}, {"zip", "postcode"},
		{"user name", "username"}, {"login name", "username"}, {"user id", "username"},
		{"pass word", "password"}, {"passwd", "password"},
		{"full name", "name"}, {"given name", "firstname"}, {"first name", "firstname"}, {"forename", "firstname"},
		{"family name", "lastname"}, {"last name", "lastname"}, {"surname", "lastname"},
		{"log in", "login"}, {"sign in", "login"}, {"signin", "login"}, {"log on", "login"}, {"log out", "logout"}, {"sign out", "logout"},
		{"sign up", "signup"}, {"sex", "gender"}, {"drop down", "dropdown"}, {"check box", "checkbox"}, {"text box", "textbox"},
	}
	out := map[string][][2][]string{}
	for _, t := range table {
		from := strings.Fields(t.from)
		out[from[0]] = append(out[from[0]], [2][]string{from, strings.Fields(t.to)})
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b [2][]string) int { return len(b[0]) - len(a[0]) })
	}
	return out
}()

func canonical(ws []string) []string {
	if !slices.ContainsFunc(ws, func(w string) bool { return phrases[w] != nil }) {
		return ws
	}
	var out []string
next:
	for i := 0; i < len(ws); {
		for _, p := range phrases[ws[i]] {
			if hasPrefix(ws[i:], p[0]) {
				out = append(out, p[1]...)
				i += len(p[0])
				continue next
			}
		}
		out = append(out, ws[i])
		i++
	}
	return out
}

func hasPrefix(ws, prefix []string) bool {
	return len(ws) >= len(prefix) && slices.Equal(ws[:len(prefix)], prefix)
}

// fillers carry no meaning of their own, neither in a label nor in a task.
var fillers = set("a an the this that your my our his her their its please to of in on at for with and or it me")

// labelNoise is what forms add to a label.
var labelNoise = set("required optional enter field input here")

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// without are the words not in any of the sets.
func without(ws []string, sets ...map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(ws), func(w string) bool {
		return slices.ContainsFunc(sets, func(s map[string]bool) bool { return s[w] })
	})
}

// key is the meaning-bearing words of a text, in order, singular.
func key(s string) []string {
	ws := words(s)
	k := without(ws, fillers)
	if len(k) == 0 {
		k = ws // a control named "The" or "To" still has a name
	}
	for i, w := range k {
		k[i] = singular(w)
	}
	return k
}

// labelKey is the key of a form label.
func labelKey(s string) []string {
	k := key(s)
	if c := without(k, labelNoise); len(c) > 0 {
		return c
	}
	return k
}

func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// subset reports whether every word of a is in b.
func subset(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return len(a) > 0
}

// sameText compares texts as a person reads them: case and spacing aside. It looks no
// further than they are the same.
func sameText(a, b string) bool {
	a, b = strings.TrimLeftFunc(a, unicode.IsSpace), strings.TrimLeftFunc(b, unicode.IsSpace)
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		switch {
		case unicode.IsSpace(x) && unicode.IsSpace(y):
			a, b = strings.TrimLeftFunc(a, unicode.IsSpace), strings.TrimLeftFunc(b, unicode.IsSpace)
		case sameLetter(x, y):
			a, b = a[n:], b[m:]
		default:
			return false
		}
	}
	return strings.TrimLeftFunc(a+b, unicode.IsSpace) == ""
}

// sameLetter compares characters but for their case.
func sameLetter(x, y rune) bool {
	if x == y {
		return true
	}
	for r := unicode.SimpleFold(x); r != x; r = unicode.SimpleFold(r) {
		if r == y {
			return true
		}
	}
	return false
}

// shows reports whether a text holds a value as whole words, in order.
func shows(text, value string) bool {
	v := words(value)
	if len(v) == 0 {
		return false
	}
	t := words(text)
	for i := 0; i+len(v) <= len(t); i++ {
		if slices.Equal(t[i:i+len(v)], v) {
			return true
		}
	}
	return false
}

// runs splits a word of East Asian letters where one script follows another:
// 火曜11時 is 火曜, 11 and 時.
func runs(w string) []string {
	var out []string
	from, last, asian := 0, -1, false
	for i, r := range w {
		script := scriptOf(r)
		asian = asian || script > 1
		if last >= 0 && script != last {
			out = append(out, w[from:i])
			from = i
		}
		last = script
	}
	if !asian {
		return []string{w}
	}
	return append(out, w[from:])
}

// scriptOf numbers the scripts that are written without spaces, after digits and all
// others.
func scriptOf(r rune) int {
	switch {
	case unicode.IsDigit(r):
		return 0
	case unicode.Is(unicode.Han, r):
		return 2
	case unicode.Is(unicode.Hiragana, r):
		return 3
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return 4
	case unicode.Is(unicode.Hangul, r):
		return 5
	}
	return 1
}

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

// sameText compares texts as a person reads them: case and spacing aside.
func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// sameValue compares what was typed with what a field holds. A mask may add
// spaces and punctuation to a number, and put a date in another order.
func sameValue(want, got string) bool {
	want, got = oneScript(want), oneScript(got)
	if sameText(want, got) || sameAddress(want, got) || sameText(undotted(want), undotted(got)) || sameCode(want, got) {
		return true
	}
	dw, dg := digits(want), digits(got)
	if len(dw) > 5 && sameDate(want, got) {
		return true
	}
	if len(dw) < 3 || !slices.Equal(letters(want), letters(got)) || pictures(want) != pictures(got) {
		return false
	}
	return len(dw) >= 4 && dw == dg || sameDate(want, got)
}

// undotted writes the four i of Turkish as one: upper and lower case of the same word
// differ in their dots.
func undotted(s string) string { return dots.Replace(s) }

var dots = strings.NewReplacer("İ", "i", "I", "i", "ı", "i", "i\u0307", "i")

// sameCode compares what has letters and digits: a page may write it in capitals and
// in groups, as it does with sl61qz.
func sameCode(want, got string) bool {
	if digits(want) == "" || len(letters(want)) == 0 || len(words(want)) > 2 {
		return false
	}
	return strings.EqualFold(ungrouped.Replace(want), ungrouped.Replace(got))
}

var ungrouped = strings.NewReplacer(" ", "", "-", "", "\u00a0", "")

// oneScript writes digits of any script as 0 to 9 and hiragana as katakana: pages
// turn the one into the other.
func oneScript(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > unicode.MaxASCII && unicode.Is(unicode.Nd, r):
			for zero := r; ; zero-- { // the ten digits of a script follow each other
				if !unicode.Is(unicode.Nd, zero-1) || r-zero == 9 {
					return '0' + (r-zero)%10
				}
			}
		case r >= 'ぁ' && r <= 'ゖ':
			return r + 'ァ' - 'ぁ'
		}
		return r
	}, s)
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// pictures are the characters of a text that are neither letters nor digits nor
// what a mask may add or leave out.
func pictures(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) {
			return r
		}
		return -1
	}, s)
}

func letters(s string) []rune {
	var out []rune
	for _, r := range strings.ToLower(s) {
		if unicode.IsLetter(r) {
			out = append(out, r)
		}
	}
	return out
}

// sameDate compares the numbers of two dates whatever their order: a mask that
// turned 1990-01-02 into 02/01/1990 kept the date.
func sameDate(a, b string) bool {
	split := func(s string) []string {
		parts := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
		for i, p := range parts {
			parts[i] = strings.TrimLeft(p, "0")
		}
		return parts
	}
	pa, pb := split(a), split(b)
	if len(pa) == 3 && len(pb) == 2 && len(letters(b)) > 2 && len(letters(a)) == 0 && len(pb[1]) == 4 {
		return slices.Contains(pa, pb[0]) && slices.Contains(pa, pb[1]) // the month in letters
	}
	if len(pa) != 3 || len(pb) != 3 {
		return false
	}
	if pa[0] == pb[0] && pa[1] == pb[1] && len(pa[2]) == 2 && len(pb[2]) == 4 && strings.HasSuffix(pb[2], pa[2]) {
		return true // the page has written the year out
	}
	slices.Sort(pa)
	slices.Sort(pb)
	return slices.Equal(pa, pb)
}

// sameAddress reports a web address to which the page has put what it begins with.
func sameAddress(want, got string) bool {
	_, bare, ok := strings.Cut(got, "://")
	return ok && strings.Contains(want, ".") && strings.EqualFold(strings.TrimSuffix(bare, "/"), strings.TrimSuffix(want, "/"))
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

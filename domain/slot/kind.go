package slot

import "strings"

// Kind is what a value is by its form.
type Kind string

// The kinds. A Name is written with capitals; a Phrase is any other words.
const (
	Phrase Kind = "phrase"
	Name   Kind = "name"
	Quoted Kind = "quoted"
	Email  Kind = "email"
	Phone  Kind = "phone"
	Date   Kind = "date"
	Time   Kind = "time"
	Money  Kind = "money"
	Number Kind = "number"
	Code   Kind = "code"
)

// recognize gives the tokens their kinds, and finds out how many of them one date or
// time takes.
func recognize(ts []token) {
	for i := 0; i < len(ts); {
		t := &ts[i]
		t.kind, t.next = Phrase, i+1
		if n := timeAt(ts, i); n > 0 {
			t.kind, t.next = Time, i+n
		} else if n := dateAt(ts, i); n > 0 {
			t.kind, t.next = Date, i+n
		} else {
			t.kind = formOf(ts, i)
		}
		for j := i + 1; j < t.next; j++ {
			ts[j].kind, ts[j].next = t.kind, t.next
		}
		i = t.next
	}
}

func formOf(ts []token, i int) Kind {
	t := ts[i]
	at := strings.IndexByte(t.text, '@')
	switch {
	case at > 0 && strings.IndexByte(t.text[at:], '.') > 0:
		return Email
	case t.digits == 0 && t.capital && (i > 0 && !startsSentence(ts, i) || t.class&(glue|classVerb) == 0):
		return Name
	case t.digits == 0:
		return Phrase
	case t.money || followedBy(ts, i, classCurrency):
		return Money
	case t.digits >= 7 && t.digits <= 15 && strings.ContainsAny(t.text, "-.") && bare(t.text):
		return Phone
	case bare(t.text):
		return Number
	}
	return Code
}

// bare reports whether a text is digits and the marks that group them.
func bare(s string) bool { return strings.Trim(s, "0123456789.,-") == "" }

func startsSentence(ts []token, i int) bool { return i == 0 || ts[i].broken }

func followedBy(ts []token, i int, c class) bool {
	return i+1 < len(ts) && !ts[i+1].broken && ts[i+1].class&c != 0
}

// timeAt is how many tokens a time of day takes that begins there.
func timeAt(ts []token, i int) int {
	t := ts[i]
	rest := strings.TrimLeft(t.low, "0123456789:.-")
	switch {
	case t.digits == 0 && t.class&classClock != 0 && len(t.low) > 3:
		return 1 // noon
	case t.digits == 0 || t.digits > 8:
		return 0
	case rest == "" && followedBy(ts, i, classClock):
		return 2
	case rest == "am" || rest == "pm" || rest == "a.m" || rest == "p.m", rest == "" && strings.Count(t.low, ":") == 1:
		return 1
	}
	return 0
}

// dateAt is how many tokens a date takes that begins there.
func dateAt(ts []token, i int) int {
	t := ts[i]
	switch {
	case t.class&classMonth != 0 && i+1 < len(ts) && isDay(ts[i+1]):
		return 2 + year(ts, i+2)
	case isDay(t) && followedBy(ts, i, classMonth):
		return 2 + year(ts, i+2)
	case isDay(t) && followedBy(ts, i, classOf) && followedBy(ts, i+1, classMonth):
		return 3 + year(ts, i+3)
	case t.capital && t.class&classMonth != 0 && !startsSentence(ts, i) && !capitalAt(ts, i-1) && !capitalAt(ts, i+1):
		return 1 + year(ts, i+1)
	case t.class&classWeekday != 0 && (t.capital || len(t.low) > 3):
		return 1
	case numericDate(t):
		return 1
	}
	return 0
}

func numericDate(t token) bool {
	return t.digits >= 3 && t.digits <= 8 && bare(strings.ReplaceAll(t.text, "/", "")) &&
		(strings.Count(t.text, "/") == 2 || strings.Count(t.text, "-") == 2 && t.digits >= 6 || strings.Count(t.text, ".") == 2)
}

// isDay reports whether a token is a day of a month: 5, 5th, 5., 5-9.
func isDay(t token) bool {
	number := strings.TrimRight(t.low, "stndrhºª.")
	first, _, _ := strings.Cut(number, "-")
	return t.digits > 0 && !t.money && len(first) <= 2 && bare(number) && t.digits <= 4 && !strings.Contains(t.text, ",")
}

// year is 1 if a year stands there.
func year(ts []token, i int) int {
	if i < len(ts) && ts[i].digits == 4 && len(ts[i].text) == 4 && (ts[i].text[0] == '1' || ts[i].text[0] == '2') {
		return 1
	}
	return 0
}

func capitalAt(ts []token, i int) bool {
	return i < len(ts) && ts[i].capital && ts[i].class&classWeekday == 0
}

package slot

import (
	"fmt"
	"slices"
	"strings"
)

// feature is something that speaks for or against a slot, with how strongly.
type feature struct {
	name  string
	value float64
}

// features say how a slot fits what a field asks for. The words are few and plain, so
// that weights.txt can be read.
func features(w wish, s *Slot) []feature {
	f := make([]feature, 0, 32)
	add := func(name string) {
		f = append(f, feature{name, w.strength(name)})
	}
	p := &s.at
	add(w.group + " kind " + string(s.Kind))
	add(w.sort + " kind " + string(s.Kind))
	for _, c := range rolesOf(p.before) {
		add(w.sort + " behind " + c)
		add(w.group + " behind " + c)
	}
	for _, c := range rolesOf(p.after) {
		add(w.group + " before " + c)
		add(w.sort + " before " + c)
	}
	if p.digits > 0 {
		add(fmt.Sprintf("%s digits %d of %s", w.sort, min(p.digits, 7), s.Kind))
		add(fmt.Sprintf("%s digits %d of %s", w.group, min(p.digits, 7), s.Kind))
	}
	shape(w, s, add)
	amounts(w, s, add)
	persons(w, s, add)
	f = append(f, labels(w, s)...)
	return f
}

// strength is how much a feature counts. What is about one sort of field, or a group, is
// seen less often than what is about all, and held back when weights are learnt.
func (w wish) strength(name string) float64 {
	switch {
	case strings.HasPrefix(name, w.sort+" "):
		return 0.5
	case strings.HasPrefix(name, w.group+" "):
		return 0.7
	}
	return 1
}

var roles = []struct {
	class class
	name  string
}{
	{classFrom, "from"}, {classTo, "to"}, {classIn, "in"}, {classFor, "for"}, {classWith, "with"}, {classOf, "of"}, {classBy, "by"},
	{classBetween, "between"}, {classUnder, "under"}, {classOver, "over"}, {classNamed, "named"}, {classVerb, "verb"}, {classJoin, "and"},
}

func rolesOf(c class) []string {
	var out []string
	for _, r := range roles {
		if c&r.class != 0 {
			out = append(out, r.name)
		}
	}
	if out == nil {
		return []string{"nothing"}
	}
	return out
}

// shape says how a slot stands among other words.
func shape(w wish, s *Slot, add func(string)) {
	p := &s.at
	flags := []struct {
		is   bool
		name string
	}{
		{p.cutBefore, "cut before"}, {p.cutAfter, "cut after"}, {p.runBefore, "capital before"}, {p.runAfter, "capital after"},
		{p.capitals, "capitals"}, {p.object, "object"}, {p.inside > 0, "small words inside"},
		{p.mailed, "mailed"}, {p.typed, "typed before"},
	}
	for _, x := range flags {
		if x.is {
			add(w.group + " " + x.name)
			add(x.name)
		}
	}
	form := formOfSlot(s)
	add(w.group + " " + form)
	add(form)
	if p.object {
		add(w.group + " object " + form)
	}
	add(fmt.Sprintf("%s words %d", w.group, min(p.words, 5)))
	add(fmt.Sprintf("%s nth %d", w.sort, min(p.nth, 3)))
}

// formOfSlot is how much a slot is of the phrase and of the words with capitals it is in.
func formOfSlot(s *Slot) string {
	p := &s.at
	form := "inner"
	switch {
	case !p.cutBefore && !p.cutAfter:
		form = "whole"
	case !p.cutBefore:
		form = "beginning"
	case !p.cutAfter:
		form = "end"
	}
	switch {
	case p.capitals && s.Kind == Name && !p.runBefore && !p.runAfter:
		form += " run"
	case p.capitals && s.Kind == Name:
		form += " part of run"
	case p.runBefore || p.runAfter:
		form += " beside run"
	}
	if p.inside > 0 {
		form += " with small words"
	}
	return form
}

// amounts says which end of a range a number is.
func amounts(w wish, s *Slot, add func(string)) {
	if w.group == "amount" {
		add(fmt.Sprintf("%s bound %d", w.sort, s.at.bounds))
	}
}

// persons says which part of a name a word is.
func persons(w wish, s *Slot, add func(string)) {
	p := &s.at
	if w.group == "person" && p.capitals {
		add(fmt.Sprintf("%s mailed %t", w.sort, p.mailed))
		add(fmt.Sprintf("%s is %d at %d of %d", w.sort, min(p.words, 3), min(p.runIndex, 2), min(p.run, 4)))
	}
}

// labels says how the name a text gives a value agrees with that of the field.
func labels(w wish, s *Slot) []feature {
	var f []feature
	if len(s.at.label) > 0 {
		own, general := shared(s.at.label, w.words)
		switch n := float64(own + general); {
		case own > 0:
			f = append(f, feature{"called so", 1}, feature{"called so part", n / float64(len(s.at.label))}, feature{w.group + " called so", w.strength(w.group + " ")},
				feature{"called so all", n / float64(len(w.words))})
		case general > 0:
			f = append(f, feature{"called so in general", n / float64(len(w.words))})
		default:
			f = append(f, feature{w.group + " called otherwise", w.strength(w.group + " ")})
		}
	}
	if own, general := shared(lows(tokenize(s.Value)), w.words); own+general > 0 {
		f = append(f, feature{"has words of the label", 1})
	}
	return f
}

// shared is how many words of a are in b, by what they begin with: those that say which
// one is meant, and general ones, "code" or "name", which many things are called.
func shared(a, b []string) (own, general int) {
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y string) bool { return alike(x, y) }) {
			continue
		}
		if meant := asksFor[x]; slices.Contains(meant, "code") || slices.Contains(meant, "name") {
			general++
		} else {
			own++
		}
	}
	return own, general
}

func alike(x, y string) bool {
	return x == y || len(x) >= 4 && len(y) >= 4 && (strings.HasPrefix(x, y) || strings.HasPrefix(y, x))
}

// missing are the features of the answer that a text has no value for a field.
func missing(w wish) []feature {
	return []feature{{"none", 1}, {w.group + " none", 1}, {w.sort + " none", 1}}
}

// fits reports whether a field could take a value at all: no weight makes a date an
// e-mail address.
func fits(w wish, s *Slot) bool {
	k, digits := s.Kind, s.at.digits
	moment := k == Date || k == Time
	switch w.sort {
	case "email":
		return k == Email
	case "phone":
		return k == Phone || digits >= 6 && !moment && k != Email
	case "date", "time":
		return moment || digits > 0 && k != Email && k != Money
	case "postal":
		return digits >= 3 && k != Money && !moment && k != Email
	case "code":
		return k != Email && !moment && k != Money
	}
	switch w.group {
	case "amount":
		return digits > 0 && !moment && k != Email && s.at.words == 1
	case "person":
		return digits == 0 && !moment && k != Email
	case "place", "search":
		return k != Email && !moment && k != Money && (k != Number || digits >= 4)
	}
	return true
}

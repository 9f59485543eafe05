package value

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Choose returns the option that a text means: by its label, by a label in another
// form (1,000 for 1000), by the only label that has all of the words, or by its value
// attribute if no label matches, since nobody sees that. A disabled option cannot be
// chosen. The error is a *Refused.
func Choose(asked string, e page.Element) (page.Option, error) {
	meant := optionsMeant(asked, e.Options)
	if len(meant) == 0 {
		return page.Option{}, refused(NoOption, asked, e, choices(e.Options))
	}
	able := slices.DeleteFunc(slices.Clone(meant), func(o page.Option) bool { return o.Disabled })
	switch {
	case !sameLabels(meant):
		return page.Option{}, refused(Ambiguous, asked, e, choices(meant))
	case len(able) == 0:
		return page.Option{}, refused(Disabled, asked, e, choices(e.Options))
	}
	return able[0], nil
}

// choices returns the labels of the options that can be chosen.
func choices(options []page.Option) []string {
	var out []string
	for _, o := range options {
		if l := labelOf(o); !o.Disabled && l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

func labelOf(o page.Option) string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

func sameLabels(options []page.Option) bool {
	return !slices.ContainsFunc(options, func(o page.Option) bool { return !sameFolded(fold(o.Label), fold(options[0].Label)) })
}

// optionsMeant returns the options a text can mean, including disabled ones, by the
// first kind of match that finds any.
func optionsMeant(asked string, options []page.Option) []page.Option {
	a := fold(asked)
	ws, inOtherForm := words(a), otherForm(a)
	labels := make([]string, len(options)) // as they are compared
	for i, o := range options {
		labels[i] = fold(labelOf(o))
	}
	for _, fits := range []func(i int) bool{
		func(i int) bool { return sameFolded(a, labels[i]) },
		func(i int) bool { return inOtherForm(labels[i]) },
		func(i int) bool { return len(ws) > 0 && slices.Equal(ws, words(labels[i])) },
		func(i int) bool { return hasWords(labels[i], ws) },
		func(i int) bool { return options[i].Value == asked },
		func(i int) bool { return sameFolded(a, fold(options[i].Value)) },
	} {
		var meant []page.Option
		for i, o := range options {
			if fits(i) {
				meant = append(meant, o)
			}
		}
		if len(meant) > 0 {
			return meant
		}
	}
	return nil
}

// otherForm returns a test for labels with the same value in another form: of a
// number, a date or a time. Other texts have only one form.
func otherForm(asked string) func(label string) bool {
	var list []comparer
	if _, _, ok := splitMoment(asked); ok {
		list = append(list, moments)
	}
	if len(readDate(asked)) > 0 {
		list = append(list, dates)
	} else if _, ok := readMonth(asked); ok {
		list = append(list, dates)
	}
	if _, ok := readTime(asked); ok {
		list = append(list, times)
	}
	a, isNumber := readNumber(asked)
	return func(label string) bool {
		if !hasDigit(label) || len(label) > maxNumber {
			return false
		}
		for _, j := range list {
			if m, ok := j(asked, label, page.Element{}); ok {
				return m == Same
			}
		}
		if !isNumber {
			return false
		}
		l, ok := readNumber(label) // a unit that an option adds tells it from others
		return ok && a.unit == l.unit && lessCertain(sameFigures(a, l), sameUnit(a, l)) == Same
	}
}

func hasWords(label string, ws []string) bool {
	have := words(label)
	return len(ws) > 0 && !slices.ContainsFunc(ws, func(w string) bool { return !slices.Contains(have, w) })
}

// shown returns the options a list shows as chosen: by its text or, if that is none,
// those marked in the document, which may be out of date.
func shown(held string, e page.Element) []page.Option {
	marked := slices.DeleteFunc(slices.Clone(e.Options), func(o page.Option) bool { return !o.Selected })
	if e.Multiple {
		all := multipleShown(held, e)
		if behind := slices.ContainsFunc(all, func(o page.Option) bool { return !o.Selected }); behind {
			return all
		}
		return marked
	}
	for _, is := range []func(o page.Option, text string) bool{
		func(o page.Option, text string) bool { return sameFolded(fold(text), fold(labelOf(o))) },
		func(o page.Option, text string) bool { return o.Value == text },
	} {
		if at := slices.IndexFunc(e.Options, func(o page.Option) bool { return held != "" && is(o, held) }); at >= 0 {
			return e.Options[at : at+1]
		}
	}
	return marked
}

// multipleShown returns the options that a list with several choices shows.
func multipleShown(held string, e page.Element) []page.Option {
	var out []page.Option
	for _, piece := range strings.Split(held, ",") {
		at := slices.IndexFunc(e.Options, func(o page.Option) bool { return sameFolded(fold(piece), fold(labelOf(o))) })
		if at < 0 {
			return nil
		}
		out = append(out, e.Options[at])
	}
	return out
}

// compareOptions compares two texts by the option they mean.
func compareOptions(asked, held string, e page.Element) Match {
	have := shown(held, e)
	meant := optionsMeant(asked, e.Options)
	if len(meant) == 0 && e.Multiple {
		return compareSets(asked, have, e)
	}
	switch {
	case len(meant) == 0 || len(have) == 0:
		return Other
	case !slices.ContainsFunc(meant, func(o page.Option) bool { return holdsOption(have, o) }):
		return Other
	case !sameLabels(meant):
		return CannotTell
	}
	return Same
}

func holdsOption(have []page.Option, o page.Option) bool {
	return slices.ContainsFunc(have, func(h page.Option) bool { return sameFolded(fold(labelOf(h)), fold(labelOf(o))) })
}

// compareSets compares several options asked for at once with those chosen.
func compareSets(asked string, have []page.Option, e page.Element) Match {
	parts := Parts(asked, e)
	switch {
	case len(parts) == 0 || slices.ContainsFunc(parts, func(o page.Option) bool { return !holdsOption(have, o) }):
		return Other
	case slices.ContainsFunc(have, func(o page.Option) bool { return !holdsOption(parts, o) }):
		return CannotTell // and more, which may have been chosen before
	}
	return Same
}

// Parts returns the options that a text lists ("A, B and C", or one a line), for a
// list with several choices; none if one of them does not exist or cannot be chosen.
func Parts(asked string, e page.Element) []page.Option {
	if !e.Multiple || len(asked) > maxLong {
		return nil
	}
	var out []page.Option
	pieces := strings.FieldsFunc(strings.ReplaceAll(asked, " and ", ","), func(r rune) bool { return strings.ContainsRune(",;", r) })
	if strings.Contains(asked, "\n") {
		pieces = strings.Split(strings.TrimSpace(asked), "\n")
	}
	for _, piece := range pieces {
		o, err := Choose(piece, e)
		if err != nil {
			return nil
		}
		if !holdsOption(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// Lines returns the options that a text lists as a client that can choose several at
// once takes them, one label a line; false if the text does not list several.
func Lines(asked string, e page.Element) (string, bool) {
	if _, err := Choose(asked, e); err == nil {
		return "", false
	}
	var labels []string
	for _, o := range Parts(asked, e) {
		labels = append(labels, labelOf(o))
	}
	return strings.Join(labels, "\n"), len(labels) > 1
}

// showsAsked reports whether a list shows what was asked.
func showsAsked(asked string, e page.Element) Match { return compareOptions(asked, e.Value, e) }

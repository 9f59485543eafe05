// Package value decides whether a control holds what was asked for, and in which form
// a control takes a value.
//
// There is one test of "the same value" for verdicts, for the planner and for
// checking a model's answer. Pages write values in their own ways (separators,
// currency, masks, order of day and month), so the answer may be CannotTell if either
// side is ambiguous.
//
// Compare is not symmetric: a page may add a unit, a country code or separators to
// what was asked, and may not remove a unit or a decimal point. With controls that
// have a form of their own (time, date, number, color, a list) it is.
//
// All functions are pure, take time linear in their input and never panic. They do
// not know which field of a page a value belongs to.
package value

import (
	"github.com/stepledger/stepledger/domain/page"
)

// Match is the answer to whether two values are the same.
type Match int

// The answers. The zero value is CannotTell.
const (
	CannotTell Match = iota
	Same
	Other
)

// String is the answer in words.
func (m Match) String() string {
	return [...]string{"cannot tell", "same", "other"}[m]
}

// maxCompared is the longest text, in bytes, that can be a number, date or code.
const maxCompared = 200

// Compare reports whether held is what was asked, as a control of this kind shows it.
// The control's own value and state do not count; see Holds.
func Compare(asked, held string, control page.Element) Match {
	if max(len(asked), len(held)) > maxLong {
		return comparePrefix(asked, held)
	}
	a, h := fold(asked), fold(held)
	switch {
	case sameFolded(a, h):
		return Same
	case isTick(control):
		return compareTicks(asked, held, control)
	case len(control.Options) > 0:
		return compareOptions(asked, held, control)
	case h == "":
		return Other
	}
	if form := formReaderOf(control); form != nil && max(len(a), len(h)) <= maxCompared {
		if m, ok := compareForms(form(a, control), form(h, control)); ok {
			return m
		}
	}
	return compareText(a, h, control)
}

// Holds reports whether a control holds what was asked: a box or a list by its state,
// any other by its value. For a secret field it cannot tell.
func Holds(asked string, e page.Element) Match {
	switch {
	case e.State.Secret:
		return CannotTell
	case isTick(e):
		return ticked(asked, e)
	case len(e.Options) > 0:
		return showsAsked(asked, e)
	}
	return Compare(asked, e.Value, e)
}

// compareForms compares all readings of two texts. It has no answer if the second has
// none.
func compareForms(asked, held []string) (Match, bool) {
	switch {
	case len(held) == 0:
		return CannotTell, false
	case len(asked) == 0:
		return CannotTell, true
	case !overlap(asked, held):
		return Other, true
	case len(asked) == 1 && len(held) == 1:
		return Same, true
	}
	return CannotTell, true
}

func overlap[T comparable](a, b []T) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// comparer compares two folded texts if they are of its kind.
type comparer func(asked, held string, control page.Element) (Match, bool)

// comparers are tried in order: a date is no number, and a number is no code.
var comparers = []comparer{
	masked, addressWithPrefix, moments, dates, times, phones, numbers, marksRemoved, codes, groupedDigits, punctuated, containsInOrder,
}

// wordComparers are for texts of which one has no digits.
var wordComparers = []comparer{masked, addressWithPrefix, marksRemoved, punctuated}

func compareText(asked, held string, control page.Element) Match {
	if max(len(asked), len(held)) > maxCompared {
		return comparePrefix(asked, held)
	}
	list := comparers
	if !hasDigit(asked) || !hasDigit(held) {
		list = wordComparers
	}
	for _, j := range list {
		if m, ok := j(asked, held, control); ok {
			return m
		}
	}
	return Other
}

// maxRead is how many characters of a value a page is read with, maxLong how many
// bytes of a text are compared.
const (
	maxRead = 500
	maxLong = 8 * maxRead
)

// comparePrefix compares long texts, of which a page may have only the beginning.
func comparePrefix(asked, held string) Match {
	if asked == held {
		return Same
	}
	a, h := []rune(fold(page.Cut(asked, maxLong))), []rune(fold(page.Cut(held, maxLong)))
	n := min(len(a), len(h))
	if len(h) >= maxRead-1 && len(a) >= len(h) && sameFolded(string(a[:n]), string(h[:n])) {
		return CannotTell
	}
	return Other
}

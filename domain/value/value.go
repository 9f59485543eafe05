// Package value says whether what a control holds is what was asked for, and in
// which form a control takes a value.
//
// There is one test of "the same value" for everybody who asks: the verdict on an
// action, whoever plans the next one, and whoever checks a model's answer. Pages
// write values in ways of their own (separators, currency, masks, their order of
// day and month), so a test has three answers; CannotTell is an honest one, where
// what was asked or what is shown can be read in two ways.
//
// Compare does not treat both sides alike: a page may add a unit, a country code
// or separators to what was asked, and not take a unit or a decimal point away.
// Of a control with a form of its own (time, date, number, color, a list) it does.
//
// All functions are pure, take time linear in their input and never panic. Nothing
// here knows which field of a page a value belongs to.
package value

import (
	"github.com/stepledger/stepledger/domain/page"
)

// Match is the answer to whether two values are the same.
type Match int

// The answers. The zero Match claims nothing.
const (
	CannotTell Match = iota
	Same
	Other
)

// String is the answer in words.
func (m Match) String() string {
	return [...]string{"cannot tell", "same", "other"}[m]
}

// maxCompared is how long texts may be, in bytes, for more than their letters to be
// looked at: what is longer is no number, date or code.
const maxCompared = 200

// Compare reports whether held, as a control of this kind shows it, is what was
// asked. The control's own value and state do not count; see Holds.
func Compare(asked, held string, control page.Element) Match {
	if max(len(asked), len(held)) > maxLong {
		return beginning(asked, held)
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
	if form := formOf(control); form != nil && max(len(a), len(h)) <= maxCompared {
		if m, ok := compareForms(form(a, control), form(h, control)); ok {
			return m
		}
	}
	return compareText(a, h, control)
}

// Holds reports whether a control holds what was asked: by its state where it is a
// box or a list, else by its value. Of a secret field nobody can tell.
func Holds(asked string, e page.Element) Match {
	switch {
	case e.State.Secret:
		return CannotTell
	case isTick(e):
		return ticked(asked, e)
	case len(e.Options) > 0:
		return chosen(asked, e)
	}
	return Compare(asked, e.Value, e)
}

// compareForms compares all that two texts can mean in the form of a control. It has
// no answer where the second is in no such form.
func compareForms(asked, held []string) (Match, bool) {
	switch {
	case len(held) == 0:
		return CannotTell, false
	case len(asked) == 0:
		return CannotTell, true
	case !meet(asked, held):
		return Other, true
	case len(asked) == 1 && len(held) == 1:
		return Same, true
	}
	return CannotTell, true
}

func meet[T comparable](a, b []T) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// judge compares two folded texts if they are of its kind.
type judge func(asked, held string, control page.Element) (Match, bool)

// judges in the order in which they are asked: what is a date is no number, and what
// is a number is no code.
var judges = []judge{
	masked, address, moments, dates, times, phones, numbers, marksTaken, codes, groupedDigits, punctuated, among,
}

// wordJudges are those of texts without figures on one side.
var wordJudges = []judge{masked, address, marksTaken, punctuated}

func compareText(asked, held string, control page.Element) Match {
	if max(len(asked), len(held)) > maxCompared {
		return beginning(asked, held)
	}
	list := judges
	if !hasDigit(asked) || !hasDigit(held) {
		list = wordJudges
	}
	for _, j := range list {
		if m, ok := j(asked, held, control); ok {
			return m
		}
	}
	return Other
}

// maxRead is how many characters of a value a page is read with, and maxLong how many
// bytes of a text are looked at.
const (
	maxRead = 500
	maxLong = 8 * maxRead
)

// beginning compares long texts, of which a page may have been read with the
// beginning alone.
func beginning(asked, held string) Match {
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

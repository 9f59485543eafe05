package do

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// isCalendar reports whether a date is chosen from days that the page shows: the field
// takes none that is typed.
func isCalendar(e page.Element, said string) bool {
	_, ok := dateOf(said)
	return ok && e.Type != "date" && (e.State.Readonly || !e.IsField())
}

// maxMonths bounds how far a calendar is turned.
const maxMonths = 24

// day opens the calendar of a field, turns to the month, and clicks the day.
func (d doing) day(e page.Element, said string) Move {
	date, ok := dateOf(said)
	if !ok {
		return Unknown("read the date %s", text.Quoted(said))
	}
	if value.Compare(said, e.Value, e) == value.Same {
		return Done("%s is %s", text.Quoted(called(e)), said)
	}
	shown, ok := monthShown(d.Page.Page)
	if !ok {
		if d.did(action.Click, e, false) {
			return Unseen("the calendar", "choose %s: I see no calendar", said)
		}
		return d.towards(Click(e, Sure, "I'll open the calendar.", "The calendar is open."))
	}
	if months := between(shown, date); months != 0 {
		return d.turn(e, months, date)
	}
	return d.clickDay(e, date)
}

// IsDate reports whether a text means a day that a calendar can show.
func IsDate(said string) bool {
	_, ok := dateOf(said)
	return ok
}

// dateOf is the day a text means. What can be read in two ways is read with the month
// first, as such dates are written in English: what is chosen in a calendar can be seen
// and chosen again.
func dateOf(said string) (time.Time, bool) {
	iso, err := value.ForControl(said, page.Element{Role: "textbox", Tag: "input", Type: "date"})
	if err != nil {
		t, err := time.Parse("1/2/2006", said)
		return t, err == nil
	}
	t, err := time.Parse(time.DateOnly, iso)
	return t, err == nil
}

var monthAndYear = regexp.MustCompile(`(?i)\b(` + strings.Join(words.List("month"), "|") + `)\b[\s ,]+(\d{4})\b`)

// monthShown is the month of the calendar that is open: the last that the page names
// with its year, if it shows days.
func monthShown(p page.Page) (time.Time, bool) {
	days := 0
	for _, e := range p.Elements {
		if isDay(e) {
			days++
		}
	}
	if days < 28 {
		return time.Time{}, false
	}
	all := monthAndYear.FindAllStringSubmatch(strings.ReplaceAll(p.Text, "\t", " "), -1)
	if len(all) == 0 {
		return time.Time{}, false
	}
	last := all[len(all)-1]
	t, err := time.Parse("January 2006", strings.ToUpper(last[1][:1])+strings.ToLower(last[1][1:])+" "+last[2])
	return t, err == nil
}

// isDay reports whether an element is a day of a calendar.
func isDay(e page.Element) bool {
	n, err := strconv.Atoi(strings.TrimSpace(e.Label()))
	return err == nil && n >= 1 && n <= 31 && !e.State.Hidden && !e.IsField()
}

// between counts months.
func between(from, to time.Time) int {
	return (to.Year()-from.Year())*12 + int(to.Month()) - int(from.Month())
}

// Controls that turn a calendar by a month are called so.
var (
	nextMonth   = words.List("month-turn next")
	monthBefore = words.List("month-turn previous")
)

func (d doing) turn(e page.Element, months int, date time.Time) Move {
	names := nextMonth
	if months < 0 {
		names = monthBefore
	}
	turns := 0
	for _, s := range d.past {
		if s.Action.Name == action.Click && !failed(s) {
			turns++
		}
	}
	if turns > maxMonths {
		return Unknown("find %s in the calendar", date.Format("January 2006"))
	}
	for _, x := range d.Page.Elements {
		if x.Usable() && ground.IsClickable(x) && (isCalled(x.Label(), names) || isCalled(x.Hint, names)) {
			return d.towards(Click(x, Likely, fmt.Sprintf("I'll turn the calendar to %s.", date.Format("January 2006")), "Another month is shown."))
		}
	}
	return Unseen("the next month", "turn the calendar of %s to %s", text.Quoted(called(e)), date.Format("January 2006"))
}

func (d doing) clickDay(e page.Element, date time.Time) Move {
	var found []page.Element
	for _, x := range d.Page.Elements {
		if x.Usable() && isDay(x) && !x.OtherMonth && strings.TrimSpace(x.Label()) == strconv.Itoa(date.Day()) && d.untried(x) {
			found = append(found, x)
		}
	}
	if len(found) > 1 {
		if x, ok := d.Choose(found); ok {
			found = []page.Element{x}
		} else if links := slices.DeleteFunc(slices.Clone(found), func(x page.Element) bool { return !x.IsControl() }); len(links) == 1 {
			found = links
		}
	}
	if len(found) != 1 {
		return Unseen(date.Format("2 January 2006"), "find %s in the calendar", date.Format("2 January 2006"))
	}
	return d.completing(Click(found[0], Sure, "I'll choose "+date.Format("2 January 2006")+".", text.Quoted(called(e))+" holds it."))
}

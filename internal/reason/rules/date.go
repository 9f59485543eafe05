package rules

import (
	"strings"
	"time"
)

// dateLayouts are the ways to write a date that mean one day everywhere.
var dateLayouts = []string{
	time.DateOnly, "2006-1-2", "2006/1/2", "2006.1.2",
	"January 2, 2006", "January 2 2006", "Jan 2, 2006", "Jan 2 2006",
	"2 January 2006", "2 Jan 2006", "2. January 2006",
}

// isoDate writes a date as a date input wants it. 01/02/1990 is two days,
// depending on who reads it, and so none; 13/02/1990 is one.
func isoDate(s string) (string, bool) {
	s = strings.Join(strings.Fields(s), " ")
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly), true
		}
	}
	plain := strings.NewReplacer(".", "/", "-", "/").Replace(s)
	dayFirst, err1 := time.Parse("2/1/2006", plain)
	monthFirst, err2 := time.Parse("1/2/2006", plain)
	switch {
	case err1 == nil && (err2 != nil || dayFirst.Equal(monthFirst)):
		return dayFirst.Format(time.DateOnly), true
	case err2 == nil && err1 != nil:
		return monthFirst.Format(time.DateOnly), true
	}
	return "", false
}

func sameISO(a, b string) bool {
	x, ok := isoDate(a)
	y, also := isoDate(b)
	return ok && also && x == y
}

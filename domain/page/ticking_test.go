package page

import "testing"

func TestSteady(t *testing.T) {
	t.Parallel()
	same := map[string][2]string{
		"clocks with seconds":       {"It is 12:03:59", "It is 12:04:00"},
		"clocks with halves of day": {"9:59:59 PM", "10:00:00 PM"},
		"ages in seconds":           {"3 seconds ago", "12 seconds ago"},
		"ages across units":         {"59 minutes ago", "1 hour ago"},
		"ages in words":             {"a minute ago", "2 minutes ago"},
		"just now":                  {"edited just now", "edited 5 seconds ago"},
		"short ages under a post":   {"3h", "4h"},
		"countdowns on buttons":     {"Resend code in 59s", "Resend code in 58s"},
		"clocks with fractions":     {"00:00:01.250", "00:00:01.5"},
		"a few units":               {"a few seconds ago", "3 seconds ago"},
		"moments":                   {"moments ago", "just now"},
		"countdowns in brackets":    {"Skip (2m 10s)", "Skip (2m 9s)"},
		"time left":                 {"5 minutes left", "4 minutes left"},
	}
	for name, c := range same {
		t.Run(name+" tick", func(t *testing.T) {
			t.Parallel()
			if a, b := steady(c[0], false), steady(c[1], false); a != b {
				t.Errorf("%q and %q differ: %q, %q", c[0], c[1], a, b)
			}
		})
	}
	different := map[string][2]string{
		"counts of things":       {"Cart (3)", "Cart (4)"},
		"a ratio":                {"16:9", "4:3"},
		"versions":               {"10.0.1", "10.0.2"},
		"prices":                 {"$10.00", "$12.00"},
		"appointments":           {"Book 10:30", "Book 11:00"},
		"durations to choose":    {"30 min", "60 min"},
		"product names":          {"iPhone 5s case", "iPhone 6s case"},
		"pages of a list":        {"Page 2", "Page 3"},
		"dates":                  {"2026-01-02", "2026-01-03"},
		"text around what ticks": {"Saved 3 seconds ago", "Failed 3 seconds ago"},
	}
	for name, c := range different {
		t.Run(name+" do not", func(t *testing.T) {
			t.Parallel()
			if steady(c[0], false) == steady(c[1], false) {
				t.Errorf("%q and %q are taken for the same: %q", c[0], c[1], steady(c[0], false))
			}
		})
	}
	t.Run("messages tick in short clocks too", func(t *testing.T) {
		t.Parallel()
		if steady("Session ends in 4:59", true) != steady("Session ends in 4:58", true) {
			t.Error("a countdown in a message is not recognised")
		}
		if steady("Redirecting in 5…", true) != steady("Redirecting in 4…", true) {
			t.Error("a bare countdown in a message is not recognised")
		}
	})
}

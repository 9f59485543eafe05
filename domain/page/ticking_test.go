package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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
		"countdowns in one word":    {"Ends in 02d:13h:05m:22s", "Ends in 02d:13h:05m:21s"},
		"countdowns without spaces": {"Ends 1h23m", "Ends 1h22m"},
		"countdowns in boxes":       {"02 Days 13 Hours 05 Mins 22 Secs", "02 Days 13 Hours 05 Mins 21 Secs"},
		"what plays":                {"Video 1:23 / 4:56", "Video 1:24 / 4:56"},
		"positions of what plays":   {"0:45 of 3:10", "0:46 of 3:10"},
		"times of the last update":  {"Last updated 10:31", "Last updated 10:32"},
		"views":                     {"1,234 views", "1,240 views"},
		"viewers of a stream":       {"Live 1.2K watching", "Live 1.3K watching"},
		"others on a product":       {"3 people are viewing this", "5 people are viewing this"},
		"who is online":             {"Chat (12 online)", "Chat (11 online)"},
		"uploads":                   {"Uploading report.pdf 45%", "Uploading report.pdf 52%"},
		"loading bars":              {"Loading… (7.5%)", "Loading… (81%)"},
		"German ages":               {"vor 3 Minuten", "vor 4 Minuten"},
		"French ages":               {"il y a 59 minutes", "il y a 1 heure"},
		"Spanish ages":              {"hace 5 segundos", "hace 1 minuto"},
		"Italian ages":              {"3 minuti fa", "4 minuti fa"},
		"Portuguese ages":           {"há 2 horas", "há 3 horas"},
		"Dutch ages":                {"5 minuten geleden", "6 minuten geleden"},
		"Russian ages":              {"5 минут назад", "6 минут назад"},
		"Japanese ages":             {"3分前", "4分前"},
		"Chinese ages":              {"3分钟前", "1小时前"},
	}
	for name, c := range same {
		t.Run(name+" tick", func(t *testing.T) {
			t.Parallel()
			if a, b := dropTicking(c[0], false), dropTicking(c[1], false); a != b {
				t.Errorf("%q and %q differ: %q, %q", c[0], c[1], a, b)
			}
		})
	}
	different := map[string][2]string{
		"counts of things":        {"Cart (3)", "Cart (4)"},
		"a ratio":                 {"16:9", "4:3"},
		"versions":                {"10.0.1", "10.0.2"},
		"prices":                  {"$10.00", "$12.00"},
		"appointments":            {"Book 10:30", "Book 11:00"},
		"durations to choose":     {"30 min", "60 min"},
		"product names":           {"iPhone 5s case", "iPhone 6s case"},
		"pages of a list":         {"Page 2", "Page 3"},
		"dates":                   {"2026-01-02", "2026-01-03"},
		"likes":                   {"12 likes", "13 likes"},
		"comments":                {"View 3 comments", "View 4 comments"},
		"slides":                  {"Slide 1 of 5", "Slide 2 of 5"},
		"results":                 {"12 results", "13 results"},
		"orders placed online":    {"3 online orders", "4 online orders"},
		"discounts":               {"Save 20%", "Save 30%"},
		"how far a form is":       {"Profile 60% complete", "Profile 80% complete"},
		"a volume":                {"Volume 45%", "Volume 50%"},
		"how long a flight takes": {"Lufthansa 2h 30m", "Lufthansa 3h 15m"},
		"in one word":             {"Lufthansa 2h30m", "Lufthansa 3h15m"},
		"minutes to read":         {"5 min read", "6 min read"},
		"clocks to choose":        {"10:30 / 2 guests", "11:30 / 2 guests"},
		"people in a party":       {"2 people", "3 people"},
		"ages of children":        {"Child, 3 years", "Child, 4 years"},
		"distances":               {"5 km", "6 km"},
		"storage":                 {"5 MB", "6 MB"},
		"text around what ticks":  {"Saved 3 seconds ago", "Failed 3 seconds ago"},
	}
	for name, c := range different {
		t.Run(name+" do not", func(t *testing.T) {
			t.Parallel()
			if dropTicking(c[0], false) == dropTicking(c[1], false) {
				t.Errorf("%q and %q are taken for the same: %q", c[0], c[1], dropTicking(c[0], false))
			}
		})
	}
	t.Run("once steady, always steady", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			words := rapid.SliceOf(rapid.SampledFrom([]string{
				"3", "12:03:59", "4:59", "in", "a", "few", "minutes", "ago", "just", "now", "left", "~", "Save", "1.2K", "watching", "/", "of", "45%", "Uploading", "2m", "10s", "il", "y", "vor",
			})).Draw(t, "words")
			s, loose := strings.Join(words, " "), rapid.Bool().Draw(t, "loose")
			if once := dropTicking(s, loose); dropTicking(once, loose) != once {
				t.Fatalf("%q, %q, %q", s, once, dropTicking(once, loose))
			}
		})
	})
	t.Run("messages tick in short clocks too", func(t *testing.T) {
		t.Parallel()
		if dropTicking("Session ends in 4:59", true) != dropTicking("Session ends in 4:58", true) {
			t.Error("a countdown in a message is not recognised")
		}
		if dropTicking("Redirecting in 5…", true) != dropTicking("Redirecting in 4…", true) {
			t.Error("a bare countdown in a message is not recognised")
		}
		if dropTicking("Trends in 2024", true) == dropTicking("Trends in 2025", true) {
			t.Error("a year is taken for a countdown")
		}
	})
}

func FuzzSteady(f *testing.F) {
	for _, s := range []string{"3 minutes ago", "1h2m", "in 5", "il y a 3 min", "12:03:59.1 / 4", "\xff1s", "1.2K  watching", "((45%", "刚刚 3分前"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, loose := range []bool{false, true} {
			got := dropTicking(s, loose)
			if got != dropTicking(s, loose) || len(got) > len(s) {
				t.Errorf("%q", got)
			}
			if !strings.ContainsAny(s, "0123456789") && !mayTick(s, loose) && got != s {
				t.Errorf("%q was changed to %q", s, got)
			}
		}
	})
}

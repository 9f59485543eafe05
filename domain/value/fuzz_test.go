package value

import (
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

// kinds are the controls a fuzzer may draw.
func kinds(a, b string) []page.Element {
	out := []page.Element{{Role: "checkbox", Name: page.Clean(b)}, {Role: "radio", Name: page.Clean(a)}}
	for _, t := range []string{"text", "tel", "time", "date", "month", "week", "datetime-local", "number", "range", "color"} {
		out = append(out, typed(t))
	}
	list := listOf(opt(a, b), opt(b, a), off(a+b, "x"), opt(b+" "+a, "y"), opt("1,000", "3"), opt("5 March 2026", ""))
	many := list
	many.Multiple = true
	return append(out, list, many)
}

var seeds = []string{
	"", "Jas", "1,000.00", "12.345", "$1,000", "+49 (0)30 1234", "3:30 pm", "2026-W12", "01/02/1990", "March 5, 2026 at 3:30 pm", "#f0a", "45 kg", "••• 1234",
	"Zu\u0308rich", "１２３", "ｶﾞ", "İI", "1e999", "-0", "午後3:30", "2026年3月5日", "a, b and c", "\xff", "true", "0.", "...", "1'2'3", "-,1",
}

// FuzzCompare: a text is itself, a control with a form of its own compares both ways
// alike, and nothing takes long.
func FuzzCompare(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+1)%len(seeds)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 10_000 {
			return
		}
		start := time.Now()
		for _, e := range kinds(a, b) {
			if got := Compare(a, a, e); got == Other {
				t.Errorf("%q is not itself in %s %s", a, e.Role, e.Type)
			}
			ab, ba := Compare(a, b, e), Compare(b, a, e)
			if form := formReaderOf(e); form != nil && max(len(a), len(b)) < maxCompared && len(form(fold(a), e)) > 0 && len(form(fold(b), e)) > 0 && ab != ba {
				t.Errorf("%q is %s as %q, and the other way round %s, in %s", a, ab, b, ba, e.Type)
			}
			if ab == Same && ba == Other && fold(a) == fold(b) {
				t.Errorf("%q and %q are equal and are not", a, b)
			}
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%d and %d bytes took %s", len(a), len(b), took)
		}
	})
}

// FuzzForControl: what a control is given is what was asked, and in its form already.
func FuzzForControl(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[(i+1)%len(seeds)])
	}
	f.Fuzz(func(t *testing.T, asked, name string) {
		if len(asked)+len(name) > 10_000 {
			return
		}
		for _, e := range kinds(asked, name) {
			got, err := ForControl(asked, e)
			if err != nil {
				if got != "" || err.Error() == "" || strings.Contains(err.Error(), "\n") {
					t.Errorf("%q: %q, %q", asked, got, err)
				}
				continue
			}
			if m := Compare(asked, got, e); m != Same {
				t.Errorf("%q is given to %s %s as %q, which is %s", asked, e.Role, e.Type, got, m)
			}
			if again, err := ForControl(got, e); err != nil || again != got {
				t.Errorf("%q for %s %s is %q, then %q, %v", asked, e.Role, e.Type, got, again, err)
			}
		}
	})
}

func FuzzFold(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if once := fold(s); fold(once) != once {
			t.Errorf("%q becomes %q, then %q", s, once, fold(once))
		}
	})
}

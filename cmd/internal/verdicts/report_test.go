package verdicts

import (
	"strings"
	"testing"
)

// in puts a judged case into a split, under a name.
func (j Judged) in(split, name string) Judged {
	j.Split, j.Name = split, name
	return j
}

func TestReport(t *testing.T) {
	t.Parallel()
	all := []Judged{
		judged(true, "yes").in(Train, "a"), judged(false, "yes").in(Train, "b"), judged(false, "").in(Train, "c"),
		judged(true, "no").in(Test, "d"), judged(true, "yes").in(Test, "e"), judged(false, "no").in(Test, "f"), judged(false, "").in(Test, "g"),
	}
	report := func(t *testing.T, l Listing) string {
		t.Helper()
		var out strings.Builder
		if err := Report(&out, all, l); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	contains := func(t *testing.T, text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("the report lacks %q:\n%s", part, text)
			}
		}
	}
	t.Run("the bars are those of the held-out pages, the number that of all cases", func(t *testing.T) {
		t.Parallel()
		contains(t, report(t, Listing{}),
			"BAR verify.cases ours=7.000 ref=1000.000 ratio=0.007 unit=cases",
			"BAR verify.tier1_decided_pct ours=75.000 ref=70.000 ratio=1.071 unit=percent",
			"BAR verify.tier1_false_success_pct ours=0.000 ref=1.700 ratio=0.000 unit=percent low=0.000 high=79.345 pages=1",
			"BAR verify.tier1_false_failure_pct ours=50.000 ref=3.000 ratio=16.667 unit=percent",
			"train: 3 cases on 1 pages; 66.7 % (20.8 to 93.9; 2 of 3) of them did not work",
		)
	})
	t.Run("wrong verdicts are named in train only", func(t *testing.T) {
		t.Parallel()
		out := report(t, Listing{Undecided: true})
		contains(t, out, "train/p/b [k]: it did not work; called success", "train/p/c [k]: it did not work; undecided")
		for _, held := range []string{"test/p/d", "test/p/g"} {
			if strings.Contains(out, held) {
				t.Errorf("%s is held out and named:\n%s", held, out)
			}
		}
	})
	t.Run("an auditor may see those held out", func(t *testing.T) {
		t.Parallel()
		contains(t, report(t, Listing{TestMisses: true}), "test/p/d [k]: it worked; called failure")
	})
	t.Run("without held-out pages there is no bar for verdicts", func(t *testing.T) {
		t.Parallel()
		var out strings.Builder
		if err := Report(&out, all[:3], Listing{}); err != nil {
			t.Fatal(err)
		}
		contains(t, out.String(), "no held-out page is among them")
		if strings.Contains(out.String(), "BAR verify.tier1") {
			t.Error("there is a bar of no page")
		}
	})
}

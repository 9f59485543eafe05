package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// anyPage draws pages with twins, shared ids, anchors and states from small
// alphabets, so that pages drawn one after the other overlap.
func anyPage(t *rapid.T, label string) Page {
	pick := func(what string, from ...string) string {
		return rapid.SampledFrom(from).Draw(t, label+what)
	}
	n := rapid.IntRange(0, 12).Draw(t, label+" elements")
	es := make([]Element, n)
	for i := range es {
		es[i] = Element{
			ID:     pick("id", "", "1", "2", "3", "4", "5"),
			Anchor: pick("anchor", "", "", "email", "save"),
			Role:   pick("role", "button", "link", "textbox"),
			Name:   pick("name", "", "Save", "Delete", "Resend in 3s", "Resend in 4s", "a|b#2"),
			Value:  pick("value", "", "x"),
			Group:  pick("group", "", "Apple", "Pear", "#2"),
			Href:   pick("href", "", "/a", "/b?t=1"),
			State:  State{Disabled: rapid.Bool().Draw(t, label+"disabled"), Hidden: rapid.IntRange(0, 5).Draw(t, label+"hidden") == 0},
		}
	}
	var alerts []Alert
	for range rapid.IntRange(0, 3).Draw(t, label+" alerts") {
		alerts = append(alerts, Alert{AlertKind(pick("kind", "error", "success", "info")), pick("alert", "Saved", "No", "in 3s")})
	}
	return reading("https://a.test/", es, alerts...)
}

func TestAssignKeys_areUnique(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPage(t, "p")
		seen := map[string]bool{}
		for _, e := range p.Elements {
			if seen[e.Key] {
				t.Fatalf("two elements have the key %q", e.Key)
			}
			seen[e.Key] = true
		}
	})
}

func TestDiff_ofAPageAndItselfIsEmpty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPage(t, "p")
		if d := Diff(p.Skeleton(), p.Skeleton()); len(d) > 0 {
			t.Fatalf("%q", texts(d))
		}
		if !NothingChanged(p.Before(), p, Witness{}) {
			t.Fatal("a page differs from itself")
		}
	})
}

func TestDiff_accountsForEveryElement(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPage(t, "a").Skeleton(), anyPage(t, "b").Skeleton()
		p := pair(a.Elements, b.Elements)
		paired := 0
		for i, j := range p.after {
			if j < 0 {
				continue
			}
			paired++
			if p.before[j] != i || a.Elements[i].Role != b.Elements[j].Role {
				t.Fatalf("%d is paired with %d, that with %d", i, j, p.before[j])
			}
		}
		appeared, gone := 0, 0
		for _, o := range Diff(a, b) {
			switch o.Kind {
			case ElementAppeared:
				appeared += elements(o)
			case ElementGone:
				gone += elements(o)
			}
		}
		if appeared != len(b.Elements)-paired || gone != len(a.Elements)-paired {
			t.Fatalf("%d + %d elements, %d paired, but %d appeared and %d went", len(a.Elements), len(b.Elements), paired, appeared, gone)
		}
	})
}

// elements is how many elements a line of a diff speaks of: one, or the rest
// that a bounded diff only counts.
func elements(o Observation) int {
	var n int
	if _, err := fmt.Sscanf(o.Text, "%d more elements", &n); err != nil {
		return 1
	}
	return n
}

func TestNothingChanged_impliesNoDiffAndNoNews(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPage(t, "a"), anyPage(t, "b")
		if !NothingChanged(a.Before(), b, Witness{}) {
			return
		}
		for _, o := range Observe(a.Before(), b, Witness{}) {
			if o.Kind != URLSame && o.Kind != ContentSame && o.Kind != ContentChanged {
				t.Fatalf("nothing changed, but: %s", o.Text)
			}
		}
	})
}

func TestFind_findsAnElementOnItsOwnPageOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPage(t, "p")
		for _, e := range p.Elements {
			got, ok, ambiguous := Find(p, e.Sought())
			if ok && ambiguous {
				t.Fatal("found and ambiguous")
			}
			if ok && (!SameText(got.Name, e.Name) || got.Role != e.Role) {
				t.Fatalf("sought %+v, got %+v", e, got)
			}
			if e.ID != "" && e.Name != "" && !e.State.Hidden && !ok && !ambiguous {
				t.Fatalf("%+v is not found where it is", e)
			}
		}
	})
}

func TestJSONSize_isAnUpperBoundForCleanText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := Clean(rapid.String().Draw(t, "text"))
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(b)-len(`""`) > jsonSize(s) {
			t.Fatalf("%q takes %d bytes, said %d", s, len(b), jsonSize(s))
		}
	})
}

// Only time passes between two readings: nothing has changed.
func TestMeaningHash_timeThatPassesIsNoChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		then := rapid.IntRange(1, 5).Draw(t, "then")
		text := rapid.SampledFrom([]string{
			"Updated 12:03:%02d", "%d seconds ago", "Resend in %ds", "%d,204 views", "%d people are viewing this", "Uploading %d%%",
			"Trailer 0:0%d / 2:10", "vor %d Minuten", "%d分前", "Ends in 1h 2m %ds",
		})
		form := make([]string, rapid.IntRange(1, 6).Draw(t, "elements"))
		for i := range form {
			form[i] = text.Draw(t, "text")
		}
		at := func(n int) Page {
			es := []Element{button("save", "Save"), {ID: "p", Role: "progressbar", Name: "Upload", Value: strconv.Itoa(n)}}
			for i, f := range form {
				es = append(es, Element{ID: strconv.Itoa(i), Role: "link", Name: fmt.Sprintf(f, n)})
			}
			return reading("https://a.test/", es, Alert{AlertOther, fmt.Sprintf("Session ends in 4:5%d", n)})
		}
		a, b := at(then), at(then+rapid.IntRange(1, 4).Draw(t, "later"))
		if d := Diff(a.Skeleton(), b.Skeleton()); len(d) > 0 || a.MeaningHash != b.MeaningHash || !NothingChanged(a.Before(), b, Witness{}) {
			t.Fatalf("same meaning: %t, changes: %q", a.MeaningHash == b.MeaningHash, texts(d))
		}
		b.Elements[0].Name = "Saved"
		AssignKeys(b.Elements)
		if MeaningHash(b) == a.MeaningHash || len(Diff(a.Skeleton(), b.Skeleton())) != 1 {
			t.Fatal("a change that matters is lost among what ticks")
		}
	})
}

// Whoever comes in between, the keys of the others stay: all but those of the
// newcomer's twins.
func TestAssignKeys_anInsertedElementRenamesNobodyElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, q := anyPage(t, "p"), anyPage(t, "q")
		if len(q.Elements) == 0 {
			return
		}
		added := q.Elements[0]
		if added.Anchor != "" {
			return // an anchor used twice is nobody's: it renames whoever had it
		}
		at := rapid.IntRange(0, len(p.Elements)).Draw(t, "at")
		after := slices.Insert(slices.Clone(p.Elements), at, added)
		AssignKeys(after)
		newcomer := after[at]
		for i, e := range slices.Delete(slices.Clone(after), at, at+1) {
			if was := p.Elements[i].Key; e.Key != was && family(was) != family(newcomer.Key) {
				t.Fatalf("%q is %q beside %q", was, e.Key, newcomer.Key)
			}
		}
	})
}

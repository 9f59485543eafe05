package page

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

func TestSkeleton_isBounded(t *testing.T) {
	t.Parallel()
	many := make([]Element, MaxSkeleton+5)
	for i := range many {
		many[i] = button(strconv.Itoa(i), "Button "+strconv.Itoa(i))
	}
	hostile := make([]Element, MaxSkeleton)
	for i := range hostile {
		s := strings.Repeat("<\x01&", 400)
		hostile[i] = Element{ID: strconv.Itoa(i), Role: "textbox", Name: s, Value: s, Group: s, Href: s}
	}
	for name, es := range map[string][]Element{"many elements": many, "hostile names": hostile} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reading("https://a.test/", es).Skeleton()
			b, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if !s.Cut || len(s.Elements) > MaxSkeleton || len(b) > maxSkeletonBytes+50_000 {
				t.Errorf("cut %t, %d elements, %d bytes", s.Cut, len(s.Elements), len(b))
			}
		})
	}
}

func TestSkeleton_leavesOutWhatNobodySees(t *testing.T) {
	t.Parallel()
	p := reading("https://a.test/", []Element{
		button("1", "Save"),
		{ID: "2", Role: "button", Name: "Spare", State: State{Hidden: true}},
		{ID: "3", Role: "textbox", Name: "Password", Value: "hunter2", State: State{Secret: true}},
	}, Alert{AlertSuccess, "Saved"})
	b, err := json.Marshal(p.Before())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"Save": true, "Spare": false, "Password": true, "hunter2": false, "Saved": true} {
		if strings.Contains(string(b), text) != want {
			t.Errorf("%q in the before state: want %t\n%s", text, want, b)
		}
	}
}

func TestBefore_survivesJSON(t *testing.T) {
	t.Parallel()
	p := reading("https://a.test/", []Element{field("1", "Email", "a@b.c"), button("2", "Save")}, Alert{AlertError, "No"})
	b, err := json.Marshal(p.Before())
	if err != nil {
		t.Fatal(err)
	}
	var back Before
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !NothingChanged(back, p, Witness{}) {
		t.Error("a stored before state differs from the page it was taken from")
	}
}

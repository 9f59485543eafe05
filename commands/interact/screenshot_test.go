package interact_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// hybrid is the form as a page of mode hybrid.
func hybrid() page.Page {
	p := form
	p.Mode = page.ModeHybrid
	return p
}

func TestTurn_ScreenshotsAreShownInModeHybrid(t *testing.T) {
	t.Parallel()
	skeleton := form
	skeleton.Mode = page.ModeSkeleton
	for _, tt := range []struct {
		name, sent string
		page       page.Page
		want       string
	}{
		{"base64", "c2NyZWVu", hybrid(), "screen"},
		{"a data URL", "data:image/jpeg;base64,c2NyZWVu", hybrid(), "screen"},
		{"nothing", "", hybrid(), ""},
		{"no base64", "<svg>", hybrid(), ""},
		{"another mode", "c2NyZWVu", skeleton, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{click("14")}
			req := request(t, tt.page, "a")
			req.Capture.Screenshot = tt.sent
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(r.reasons.asked[0].Screenshot); got != tt.want {
				t.Errorf("the reasoner is shown %q, want %q", got, tt.want)
			}
			for _, e := range r.eventsOf(t, res.TaskID) {
				if b, err := json.Marshal(e); err != nil || strings.Contains(string(b), "c2NyZWVu") {
					t.Errorf("%T holds the picture: %v", e, err)
				}
			}
		})
	}
}

// TestTurn_AnUnchangedScreenshotIsTheLastOne: clients send null for a picture
// that is the same as before.
func TestTurn_AnUnchangedScreenshotIsTheLastOne(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3"), click("14")}, []any{worked, worked}
	taskID := ""
	for i, sent := range []string{"c2NyZWVu", "", ""} {
		if i == 2 { // what is not kept any more is not shown
			r.content.bodies[slices.Index(r.content.bodies, "c2NyZWVu")] = ""
		}
		req := request(t, hybrid(), string(rune('a'+i)))
		req.TaskID, req.Capture.Screenshot = taskID, sent
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		taskID = res.TaskID
	}
	for i, want := range []string{"screen", "screen", ""} {
		if got := string(r.reasons.asked[i].Screenshot); got != want {
			t.Errorf("question %d shows %q, want %q", i, got, want)
		}
	}
}

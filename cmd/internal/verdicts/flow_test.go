package verdicts

import (
	"encoding/json"
	"testing"
)

// What the agent does after an action, when it has no model, on a page that stays as it
// was found.
func TestFollow(t *testing.T) {
	t.Parallel()
	const (
		form  = `<html><body><h1>Profile</h1><form><label>Name <input id="1" value="Jas"></label><button id="2">Save</button></form>%</body></html>`
		saved = `<div role="status">Your profile was saved</div>`
	)
	body := func(more string, saw map[string]any) json.RawMessage {
		b := map[string]any{"url": "https://shop.example/", "query": "click Save", "dom": form[:len(form)-len("%</body></html>")] + more + "</body></html>"}
		if saw != nil {
			b["clientObservations"] = saw
		}
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for name, tt := range map[string]struct {
		after json.RawMessage
		want  Flow
	}{
		"the page says so":               {body(saved, map[string]any{"didNetworkOccur": true, "didDomMutate": true}), ClaimedDone},
		"nobody knows":                   {body("", map[string]any{"didNetworkOccur": true}), Asked},
		"no answer yet":                  {body("", map[string]any{"didNetworkOccur": true, "pendingRequests": 1}), Asked},
		"a client that says nothing":     {body("", nil), Asked},
		"nothing was sent":               {body("", map[string]any{"didNetworkOccur": false, "didDomMutate": false}), GaveUp},
		"the page says it does not work": {body(`<div role="alert">Error: not saved</div>`, map[string]any{"didNetworkOccur": true, "didDomMutate": true}), Asked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Follow(t.Context(), Recorded{Name: name, Action: `click("2")`, Before: body("", nil), Request: tt.after})
			if err != nil || got != tt.want {
				t.Errorf("%s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// A flow counts where it is wrong.
func TestCount_Flows(t *testing.T) {
	t.Parallel()
	of := func(worked bool, flow Flow) Judged { return Judged{Recorded: Recorded{Worked: worked}, Flow: flow} }
	f := Count([]Judged{of(true, ClaimedDone), of(true, Repeated), of(true, Asked), of(false, ClaimedDone), of(false, Repeated), of(false, GaveUp), of(false, Asked)})
	if f.FlowFalseDone != (Share{1, 4}) || f.FlowRepeated != (Share{1, 3}) || f.FlowAsked != (Share{2, 7}) {
		t.Errorf("%+v", f)
	}
}

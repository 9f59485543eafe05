package browser

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

func TestHand_SaysWhatAClientWould(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button onclick="this.textContent = 'Saved'">Save</button>`)
	hand := NewHand(tab, "Save it")
	before, shown, err := hand.Request(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(before), "lastActionStatus") {
		t.Errorf("the first request reports on an action: %s", before)
	}
	if _, err := hand.Do(t.Context(), action.Action{Name: action.Click, Target: id(t, shown, "btn", "Save")}); err != nil {
		t.Fatal(err)
	}
	after, shown, err := hand.Request(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Query              string
		LastActionStatus   string
		ClientObservations observations
	}
	if err := json.Unmarshal(after, &body); err != nil {
		t.Fatal(err)
	}
	if body.Query != "Save it" || body.LastActionStatus != StatusSuccess || !body.ClientObservations.DidDOMMutate {
		t.Errorf("the second request says %+v", body)
	}
	node(t, shown, "btn", "Saved")
}

func TestTab_Evaluate(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<script>let saved = 2</script>`)
	for expression, want := range map[string]string{
		"saved":                             "2",
		"(async () => saved > 1)()":         "true",
		"({ is: [document.title] })":        `{"is":["test"]}`,
		"document.querySelector('missing')": "null",
	} {
		if got, err := tab.Evaluate(t.Context(), expression); err != nil || string(got) != want {
			t.Errorf("%s is %s, %v, want %s", expression, got, err, want)
		}
	}
	for _, expression := range []string{"unheard.of", "Promise.reject(new Error('no'))", "void 0"} {
		if got, err := tab.Evaluate(t.Context(), expression); err == nil {
			t.Errorf("%s is %s, want an error", expression, got)
		}
	}
}

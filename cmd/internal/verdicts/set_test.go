package verdicts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

// folder writes a page folder with these cases and returns the set it is in.
func folder(t *testing.T, split, name, cases string) string {
	t.Helper()
	set := t.TempDir()
	dir := filepath.Join(set, split, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, CasesFile), []byte(cases), 0o600); err != nil {
		t.Fatal(err)
	}
	return set
}

const oneCase = `{"about":"a page","language":"en","hand":"ours","cases":[
	{"name":"save","kind":"form saved","goal":"Save it","do":{"action":"click","role":"button","name":"Save"},"worked":"saved === 1"}]}`

func TestFind(t *testing.T) {
	t.Parallel()
	t.Run("a page is named after its folders", func(t *testing.T) {
		t.Parallel()
		pages, err := Find(folder(t, Train, "shop", oneCase))
		if err != nil || len(pages) != 1 || pages[0].ID() != "train/shop" || pages[0].Cases[0].Settle().Milliseconds() != 1500 {
			t.Errorf("got %+v, %v", pages, err)
		}
	})
	t.Run("a folder without pages is refused", func(t *testing.T) {
		t.Parallel()
		if _, err := Find(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no page folder") {
			t.Errorf("the error is %v", err)
		}
	})
	for name, test := range map[string]struct{ old, replacement, want string }{
		"a field nobody knows":         {`"goal"`, `"gaol"`, `unknown field "gaol"`},
		"a case without a goal":        {`"Save it"`, `""`, "name, kind, goal and worked are required"},
		"a literal truth":              {`saved === 1`, `true`, "same whatever the page does"},
		"an action there is none of":   {`"click"`, `"tap"`, "tap"},
		"a text on a click":            {`"role"`, `"text":"x","role"`, "click"},
		"a click on nothing":           {`,"role":"button","name":"Save"`, ``, "click"},
		"a page that says nothing":     {`"a page"`, `""`, "about, language, hand and cases are required"},
		"two cases of the same name":   {`"cases":[`, `"cases":[{"name":"save","kind":"k","goal":"g","do":{"action":"goBack"},"worked":"x"},`, "two cases of this name"},
		"a truth of texts and numbers": {`saved === 1`, `'saved' === \"saved\" && 1 < 2`, "same whatever the page does"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			_, err := Find(folder(t, Train, "shop", strings.Replace(oneCase, test.old, test.replacement, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "train/shop/cases.json") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestStep_On(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		step Step
		want string
	}{
		"an action on an element":      {Step{Action: action.SetValue, Role: "textbox", Name: "City", Text: "York"}, `setValue("7", "York")`},
		"an action on no element":      {Step{Action: action.Press, Text: "Enter"}, `press("Enter")`},
		"a navigation beside the page": {Step{Action: action.Navigate, Text: "list.html?q=1"}, `navigate("http://shop.test/shop/list.html?q=1")`},
		"a navigation from the root":   {Step{Action: action.Navigate, Text: "/archive"}, `navigate("http://shop.test/archive")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.step.On("7", "http://shop.test/shop/page.html").String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

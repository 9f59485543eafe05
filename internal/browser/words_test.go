package browser

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

var update = flag.Bool("update", false, "write the words of secrets anew")

// wordsFile is where the page's side finds the server's words for secrets.
const wordsFile = "../../extension/page/words.json"

func TestWords_TheClientsAreTheServers(t *testing.T) {
	var w struct {
		Names        []string `json:"names"`
		NotMeant     []string `json:"notMeant"`
		Autocomplete []string `json:"autocomplete"`
		Ordinary     []string `json:"ordinary"`
	}
	w.Names, w.NotMeant = vocabulary.SecretEntries()
	w.Autocomplete, w.Ordinary = vocabulary.AutocompleteTokens()
	want, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(wordsFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(wordsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what the server knows: go test ./internal/browser -run Words -update, then make extension-page", wordsFile)
	}
}

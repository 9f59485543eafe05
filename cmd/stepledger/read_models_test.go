package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var freezeReadModels = flag.Bool("freeze-read-models", false, "write testdata/read_models.txt")

// A read model that takes other events than those its version is known to take gives other
// rows, also of events that an older version has passed over: it has to be of another
// version, which is built from the first event. So the file has the events of each version,
// and a line of it never changes.
func TestReadModels_OtherEventsAreAnotherVersion(t *testing.T) {
	t.Parallel()
	const file = "testdata/read_models.txt"
	var now []string
	for _, p := range readModels() {
		if len(p.Filter.Types) == 0 {
			t.Errorf("%s takes events of types nobody knows yet", p.Name)
		}
		types := slices.Sorted(slices.Values(p.Filter.Types))
		now = append(now, fmt.Sprintf("%s %d: %s", p.Name, p.Version, strings.Join(types, " ")))
	}
	if *freezeReadModels {
		if err := os.WriteFile(file, []byte(strings.Join(now, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	frozen, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(frozen)), "\n"), now); diff != "" {
		t.Errorf("raise the Version of what takes other events, then go test -freeze-read-models (-frozen +now):\n%s", diff)
	}
}

package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stepledger/stepledger/api/apitest"
)

var releaseNow = flag.Bool("release", false, "make the present description the released one")

// releasedFile is the description that clients may rely on.
const releasedFile = "released/v1.json"

// What was released is kept: clients of it go on working. What breaks them on purpose is
// released by `make api-release`, and says so in its commit.
func TestDescription_BreaksNoClient(t *testing.T) {
	t.Parallel()
	now, _, err := newWorld().server().Description()
	if err != nil {
		t.Fatal(err)
	}
	breaks := breaksOf(t, now)
	if *releaseNow {
		writeReleased(t, now)
		for _, b := range breaks {
			t.Log(b)
		}
		return
	}
	for _, b := range breaks {
		t.Error(b)
	}
	if len(breaks) > 0 {
		t.Errorf("api/%s has what clients rely on. If it is meant to break them: make api-release", releasedFile)
	}
}

func breaksOf(t *testing.T, now []byte) []apitest.Break {
	t.Helper()
	released, err := os.ReadFile(releasedFile)
	if err != nil {
		t.Fatal(err)
	}
	older, err := apitest.ParseDocument(released)
	if err != nil {
		t.Fatal(err)
	}
	newer, err := apitest.ParseDocument(now)
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Breaking(older, newer)
}

// writeReleased writes it a line for each value, so that its differences can be read.
func writeReleased(t *testing.T, description []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, description, "", " "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	if err := os.WriteFile(releasedFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

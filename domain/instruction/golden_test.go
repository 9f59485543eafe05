package instruction

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens anew")

// The golden has what each instruction of testdata/english.txt is read as.
func TestRead_golden(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	n := 0
	for _, line := range instructions(t) {
		n++
		got.WriteString("# " + line + "\n" + Read(line).String() + "\n")
	}
	if n < 200 {
		t.Errorf("only %d instructions", n)
	}
	const name = "testdata/english.golden"
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got; if it is better, go test -update)\n%s", diff)
	}
}

func instructions(tb testing.TB) []string {
	tb.Helper()
	b, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

package check

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	made    = regexp.MustCompile(`(?m)^ *(?:exec )?make (.+)$`)
	checked = regexp.MustCompile(`(?m)^check: (.*) ##`)
)

// Who has run make check meets nothing new in CI.
func TestMakefile_CheckIsAllOfCI(t *testing.T) {
	t.Parallel()
	ci, check := made.FindAllStringSubmatch(string(read(t, ".ci/run")), -1), checked.FindStringSubmatch(string(read(t, "Makefile")))
	if ci == nil || check == nil {
		t.Fatal("not to be read: .ci/run or Makefile")
	}
	for _, line := range ci {
		for _, target := range strings.Fields(line[1]) {
			if !slices.Contains(strings.Fields(check[1]), target) {
				t.Errorf("CI makes %s, make check does not", target)
			}
		}
	}
}

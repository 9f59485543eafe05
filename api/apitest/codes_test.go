package apitest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docs/api.md has every code there is, and no other.
func TestCodes_AreDocumented(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(Codes(t), MentionedCodes(t)); diff != "" {
		t.Errorf("codes (-domain +docs/api.md)\n%s", diff)
	}
	documented := DocumentedCodes(t)
	if len(documented) < 25 || len(slices.Compact(slices.Sorted(slices.Values(documented)))) != len(documented) {
		t.Errorf("the table has %d codes: %v", len(documented), documented)
	}
}

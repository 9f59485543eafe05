package api

import "testing"

// A revision that is given a second time after a restore has another tag.
func TestTag(t *testing.T) {
	t.Parallel()
	const log = "7d9b5085-0ba5-423d-9aed-b979e7b1211b"
	for id, want := range map[string]string{
		"": `"12"`, log: `"12"`, log + ".2.0123456789abcdef": `"12.2.0123456789abcdef"`,
	} {
		if got := tag(12, id); got != want {
			t.Errorf("in %q: %s, want %s", id, got, want)
		}
	}
}

package verdict

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// Every row has an id of its own, evidence, words whose subjects exist, a chance that
// decides or none, and an example or a reason to stand without.
func TestRows(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{None: true}
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	subject := regexp.MustCompile(`\{([^}]*)\}`)
	for _, r := range Rows() {
		if ids[r.ID] || !name.MatchString(r.ID) {
			t.Errorf("the id %q is taken, or not words with hyphens", r.ID)
		}
		ids[r.ID] = true
		if len(r.Evidence) == 0 || strings.TrimSpace(r.Says) == "" {
			t.Errorf("%s has no evidence, or says nothing", r.ID)
		}
		for _, s := range subject.FindAllStringSubmatch(r.Says, -1) {
			if subjects[s[1]] == nil {
				t.Errorf("%s speaks of %q, which is no subject", r.ID, s[1])
			}
		}
		if c := r.Chance; c != unclear && c >= reasoning.FailureThreshold && c < reasoning.SuccessThreshold || c >= 1 {
			t.Errorf("%s: a chance of %v decides nothing", r.ID, c)
		}
		if r.Example == "" && r.Given == "" {
			t.Errorf("%s has no example, and nothing else it stands on", r.ID)
		}
	}
	for _, id := range []string{clientError, pageError, mixedMessage, fieldMarked} {
		if !ids[id] {
			t.Errorf("other rooms ask for %q, which is no rule", id)
		}
	}
}

// Every fact of every row has a name, by which it is told from the others.
func TestFacts(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		seen := map[string]bool{}
		for _, f := range r.when {
			if f.name == "" || f.holds == nil || seen[f.name] {
				t.Errorf("%s: the fact %q has no name, or stands twice", r.id, f.name)
			}
			seen[f.name] = true
		}
	}
}

package account_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
)

func TestNormalEmail(t *testing.T) {
	t.Parallel()
	if got, ok := account.NormalEmail(" Ann@Acme.Example "); got != "ann@acme.example" || !ok {
		t.Errorf("%q, %v", got, ok)
	}
	for _, not := range []string{"", "x", "@acme.example", "ann@", "Ann <ann@acme.example>", "ann@acme.example, bea@acme.example", "a\x00@b.example", strings.Repeat("x", account.MaxEmail) + "@b.example"} {
		if got, ok := account.NormalEmail(not); ok {
			t.Errorf("%q counts as %q", not, got)
		}
	}
}

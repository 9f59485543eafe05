package account_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/account"
)

func TestMatchesDomain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, host string
		want          bool
	}{
		{"acme.com", "acme.com", true},
		{"acme.com", "ACME.com.", true},
		{"ACME.com", "acme.com", true},
		{"acme.com", "app.acme.com", false},
		{"acme.com", "notacme.com", false},
		{"*.acme.com", "app.acme.com", true},
		{"*.acme.com", "a.b.acme.com", true},
		{"*.acme.com", "App.Acme.Com.", true},
		{"*.acme.com", "acme.com", false},
		{"*.acme.com", ".acme.com", false},
		{"*.acme.com", "notacme.com", false},
		{"*.acme.com", "acme.com.evil.example", false},
		{"bücher.example", "xn--bcher-kva.example", true},
		{"xn--bcher-kva.example", "BÜCHER.example", true},
		{"*.bücher.example", "shop.xn--bcher-kva.example", true},
		{"*.xn--bcher-kva.example", "xn--bcher-kva.example", false},
		{"bücher.example", "bucher.example", false},
		{"localhost", "localhost", true},
		{"", "acme.com", false},
		{"acme.com", "", false},
		{"*.", "acme.com", false},
		{"*", "acme.com", false},
	} {
		if got := account.MatchesDomain(tt.pattern, tt.host); got != tt.want {
			t.Errorf("MatchesDomain(%q, %q) = %t", tt.pattern, tt.host, got)
		}
	}
}

// What is stored of a pattern matches what the pattern as it was written matches.
func TestMatchesDomain_AsStored(t *testing.T) {
	t.Parallel()
	for pattern, host := range map[string]string{" *.Acme.com. ": "app.acme.com", "BÜCHER.example": "xn--bcher-kva.example", "acme.com.": "acme.com"} {
		normal, ok := account.DomainPattern(pattern)
		if !ok || !account.MatchesDomain(normal, host) {
			t.Errorf("%q is stored as %q, %t, which does not match %q", pattern, normal, ok, host)
		}
	}
}

func TestMatchingDomain(t *testing.T) {
	t.Parallel()
	patterns := []string{"acme.com", "*.acme.com"}
	for host, want := range map[string]string{"acme.com": "acme.com", "app.acme.com": "*.acme.com", "example.com": ""} {
		if got := account.MatchingDomain(patterns, host); got != want {
			t.Errorf("MatchingDomain(%q) = %q, want %q", host, got, want)
		}
	}
}

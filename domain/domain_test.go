package domain_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stepledger/stepledger/domain"
)

func TestDeriveUUID(t *testing.T) {
	t.Parallel()
	a := domain.DeriveUUID("task", "acme", "jo", "key")
	if a != domain.DeriveUUID("task", "acme", "jo", "key") {
		t.Error("the same parts gave two ids")
	}
	if !domain.ValidUUID(a) || a[14] != '5' {
		t.Errorf("%s is not a version 5 UUID", a)
	}
	if domain.DeriveUUID("ab", "c") == domain.DeriveUUID("a", "bc") {
		t.Error("parts run into each other")
	}
}

func TestNewUUID(t *testing.T) {
	t.Parallel()
	a, b := domain.NewUUID(), domain.NewUUID()
	if a == b || !domain.ValidUUID(a) || a[14] != '4' {
		t.Errorf("got %s and %s", a, b)
	}
}

func TestValidUUID(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"6f1c9a52-6f0e-5b6a-9a55-0f6a7c2d1e30":  true,
		"6F1C9A52-6F0E-5B6A-9A55-0F6A7C2D1E30":  true,
		"":                                      false,
		"6f1c9a526f0e5b6a9a550f6a7c2d1e30":      false,
		"6f1c9a52-6f0e-5b6a-9a55-0f6a7c2d1e3":   false,
		"6f1c9a52-6f0e-5b6a-9a55-0f6a7c2d1e3g":  false,
		"6f1c9a52-6f0e-5b6a-9a55-0f6a7c2d1e300": false,
		"6f1c9a526-f0e-5b6a-9a55-0f6a7c2d1e30":  false,
	} {
		if got := domain.ValidUUID(s); got != want {
			t.Errorf("ValidUUID(%q) = %v", s, got)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	err := domain.Errorf(domain.Unavailable, "DATABASE_ERROR", "try %s", "again").At("url").Because(cause)
	wrapped := fmt.Errorf("append: %w", err)
	if domain.KindOf(wrapped) != domain.Unavailable || domain.KindOf(cause) != domain.Internal {
		t.Error("the kind is lost on the way")
	}
	if !errors.Is(wrapped, cause) {
		t.Error("the cause is lost on the way")
	}
	if got, want := err.Error(), "DATABASE_ERROR: try again (url): disk on fire"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

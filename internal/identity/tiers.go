package identity

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/account"
)

// Tiers are the requests per Window by tier and class. A class without a number has
// that of account.Session.
type Tiers map[string]map[account.Class]int

// Names of the tiers of DefaultTiers.
const (
	TierFree       = "free"
	TierPro        = "pro"
	TierEnterprise = "enterprise"
	TierDemo       = "demo"
)

// These tiers belong to no tenant.
const (
	// TierAnonymous limits an address without a token: account.Anonymous, and
	// account.Public, which whoever serves them counts.
	TierAnonymous = "anonymous"
	// TierLogin limits logins: account.Account by the account that is named, the class
	// address by the address they come from.
	TierLogin = "login"

	loginAddress account.Class = "address"
)

// ofNoTenant are the classes of the tiers that belong to none.
var ofNoTenant = map[string][]account.Class{
	TierAnonymous: {account.Anonymous, account.Public},
	TierLogin:     {account.Account, loginAddress},
}

// TenantClasses are the classes a tenant has limits of.
var TenantClasses = []account.Class{
	account.Interact, account.Resolve, account.Session, account.Usage, account.Debug, account.Replay, account.Account,
}

// DefaultTiers are the specification's limits for the lowest tier and multiples of
// them above. The demo tenant, which is meant for scripts, has practically no limit.
func DefaultTiers() Tiers {
	free := map[account.Class]int{account.Interact: 10, account.Resolve: 30, account.Session: 100, account.Debug: 600, account.Replay: 30}
	times := func(n int) map[account.Class]int {
		m := maps.Clone(free)
		for class := range m {
			m[class] *= n
		}
		return m
	}
	return Tiers{
		TierFree: free, TierPro: times(6), TierEnterprise: times(60), TierDemo: times(1000),
		TierAnonymous: {account.Anonymous: 60, account.Public: 600},
		TierLogin:     {account.Account: 10, loginAddress: 60},
	}
}

// MaxPerWindow bounds a limit: more often the time between two requests could not be
// told from none.
const MaxPerWindow = 1_000_000

// ParseTiers returns the default tiers with what a text changes of them:
//
//	free interact=20 session=200; gold interact=600; anonymous anonymous=30; login account=5
//
// Tiers are separated by semicolons, each a name and its limits per Window. A class that
// is not named stays as it is; in a tier that is not among the defaults it has the
// number of the free tier.
func ParseTiers(text string) (Tiers, error) {
	all := DefaultTiers()
	seen := map[string]bool{}
	for line := range strings.SplitSeq(text, ";") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		tier := words[0]
		if seen[tier] {
			return nil, fmt.Errorf("tier %s: it is given twice", tier)
		}
		seen[tier] = true
		if err := all.change(tier, words[1:]); err != nil {
			return nil, fmt.Errorf("tier %s: %w", tier, err)
		}
	}
	return all, all.check()
}

const maxTierName = 32

func (t Tiers) change(tier string, limits []string) error {
	odd := func(r rune) bool { return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	if len(tier) > maxTierName || strings.ContainsFunc(tier, odd) {
		return fmt.Errorf("a name has up to %d of a-z, 0-9, - and _", maxTierName)
	}
	if len(limits) == 0 {
		return fmt.Errorf("it has no limits; write them as class=number")
	}
	if t[tier] == nil {
		t[tier] = maps.Clone(DefaultTiers()[TierFree])
	}
	given := map[account.Class]bool{}
	for _, limit := range limits {
		name, number, _ := strings.Cut(limit, "=")
		class := account.Class(name)
		if err := checkClass(tier, class); err != nil {
			return err
		}
		if given[class] {
			return fmt.Errorf("class %s is given twice", class)
		}
		given[class] = true
		n, err := strconv.Atoi(number)
		if err != nil || checkLimit(n) != nil {
			return fmt.Errorf("%q: the number of requests a minute is from 1 to %d", limit, MaxPerWindow)
		}
		t[tier][class] = n
	}
	return nil
}

func checkClass(tier string, class account.Class) error {
	known, ok := ofNoTenant[tier]
	if !ok {
		known = TenantClasses
	}
	if slices.Contains(known, class) {
		return nil
	}
	return fmt.Errorf("class %q is none of %s", class, names(known))
}

func checkLimit(n int) error {
	if n < 1 || n > MaxPerWindow {
		return fmt.Errorf("%d is not from 1 to %d", n, MaxPerWindow)
	}
	return nil
}

func names(classes []account.Class) string {
	var b strings.Builder
	for i, c := range classes {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(c))
	}
	return b.String()
}

// check returns an error for a limit that cannot be counted.
func (t Tiers) check() error {
	for tier, classes := range t {
		needed := account.Session
		if of, ok := ofNoTenant[tier]; ok {
			needed = of[0]
		}
		if _, ok := classes[needed]; !ok {
			return fmt.Errorf("tier %s: no limit for class %s", tier, needed)
		}
		for class, n := range classes {
			if err := checkLimit(n); err != nil {
				return fmt.Errorf("tier %s: limit of class %s: %w", tier, class, err)
			}
		}
	}
	return nil
}

// limit is the limit of a class in a tier. A tier that is no longer configured has
// its default, or that of the free tier, so that its tenants are not locked out.
func (t Tiers) limit(tier string, class account.Class) int {
	for _, classes := range []map[account.Class]int{t[tier], DefaultTiers()[tier], DefaultTiers()[TierFree]} {
		if n, ok := classes[class]; ok {
			return n
		}
		if n, ok := classes[account.Session]; ok {
			return n
		}
	}
	panic("identity: the free tier has no limit of sessions")
}

// Public is the limit of account.Public by address.
func (t Tiers) Public() int { return t.limit(TierAnonymous, account.Public) }

// assignable are the tiers a tenant can have, sorted.
func (t Tiers) assignable() []string {
	var all []string
	for name := range t {
		if _, ok := ofNoTenant[name]; !ok {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

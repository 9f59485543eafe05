package billing_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
)

// TestBudget_FollowsItsModel does anything in any order, things repeated and late
// among it: a month always holds what calls without a bill have set aside and has
// spent the newest bill of all others, and nobody is let through beyond the
// budget.
func TestBudget_FollowsItsModel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		tenant := domain.NewUUID()
		limit := usage.Pico(rapid.Int64Range(0, 100).Draw(t, "limit"))
		if err := b.SetBudget(t.Context(), billing.Budget{Tenant: tenant, Amount: &limit}, noon); err != nil {
			t.Fatal(err)
		}
		m := model{held: map[string]usage.Pico{}, bills: map[string]usage.Booking{}}
		var calls []string
		t.Repeat(map[string]func(*rapid.T){
			"reserve": func(t *rapid.T) {
				r := reservation(tenant, "0")
				r.Amount = usage.Pico(rapid.Int64Range(0, 40).Draw(t, "amount"))
				spent, held := m.sums()
				_, err := b.Reserve(t.Context(), r)
				if fits := spent+held+r.Amount <= limit; fits != (err == nil) {
					t.Fatalf("%d of %d is left for %d: %v", limit-spent-held, limit, r.Amount, err)
				}
				if err == nil {
					m.held[r.Call] = r.Amount
					calls = append(calls, r.Call)
				}
			},
			"charge": func(t *rapid.T) {
				k := aBooking(t, tenant, calls)
				if err := b.Charge(t.Context(), k); err != nil {
					t.Fatal(err)
				}
				m.charge(k)
			},
			"release": func(t *rapid.T) {
				if len(calls) == 0 {
					t.Skip("nothing was reserved")
				}
				call := rapid.SampledFrom(calls).Draw(t, "call")
				if err := b.Release(t.Context(), call); err != nil {
					t.Fatal(err)
				}
				if _, billed := m.bills[call]; !billed {
					delete(m.held, call)
				}
			},
			"": func(t *rapid.T) {
				spent, held := m.sums()
				all, err := b.Standing(t.Context(), tenant, noon)
				if err != nil || len(all) != 1 || all[0].Spent != spent.String() || all[0].Held != held.String() {
					t.Fatalf("spent %s, held %s: %+v, %v", spent, held, all, err)
				}
			},
		})
	})
}

// model is what a month should say.
type model struct {
	held  map[string]usage.Pico
	bills map[string]usage.Booking
}

func (m model) charge(k usage.Booking) {
	if old, billed := m.bills[k.Call]; billed && old.Revision >= k.Revision {
		return
	}
	if _, reserved := m.held[k.Call]; !reserved {
		m.held[k.Call] = k.Reserved
	}
	m.bills[k.Call] = k
}

func (m model) sums() (spent, held usage.Pico) {
	for call, amount := range m.held {
		if k, billed := m.bills[call]; billed && k.Cost != nil {
			spent += *k.Cost
		} else {
			held += amount
		}
	}
	return spent, held
}

// aBooking is a bill of a call that was reserved, given back, or never seen here.
func aBooking(t *rapid.T, tenant string, calls []string) usage.Booking {
	stranger := fmt.Sprintf("00000000-0000-4000-8000-%012x", rapid.Uint32Range(0, 3).Draw(t, "stranger"))
	k := usage.Booking{
		Call: domain.DeriveUUID(tenant, stranger), Tenant: tenant, Subject: "task", Month: noon.Format("2006-01"), Reserved: 7,
		Revision: rapid.Int64Range(0, 5).Draw(t, "revision"),
	}
	if len(calls) > 0 && rapid.Bool().Draw(t, "known") {
		k.Call = rapid.SampledFrom(calls).Draw(t, "call")
	}
	if rapid.Bool().Draw(t, "priced") {
		cost := usage.Pico(rapid.Int64Range(0, 60).Draw(t, "cost"))
		k.Cost = &cost
	}
	return k
}

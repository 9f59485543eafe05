package chain_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
)

// contact is a form of text fields; from is the id of the first, so that another
// number is the same page with other ids.
func contact(from int, without ...string) page.Page {
	var es []page.Element
	for i, name := range []string{"Name", "Street", "City", "Phone"} {
		if !slices.Contains(without, name) {
			es = append(es, page.Element{ID: strconv.Itoa(from + i), Role: "textbox", Name: name, Group: "Contact"})
		}
	}
	return read(es...)
}

// four is the chain of most tests; the fields of these indices may fail.
func four(t *testing.T, mayFail ...int) chain.Chain {
	t.Helper()
	return fill(t, contact(1), mayFail...)
}

func fill(t *testing.T, p page.Page, mayFail ...int) chain.Chain {
	t.Helper()
	var all []chain.Candidate
	for i, e := range p.Elements {
		one := set(e.ID, "value "+e.Name)
		one.CanFail = slices.Contains(mayFail, i)
		all = append(all, one)
	}
	c, end := chain.Longest(all, p)
	if len(c) != len(all) {
		t.Fatalf("the chain ends before %d: %s", end.At, end)
	}
	return c
}

// texts are the actions of a chain, as the client was sent them.
func texts(c chain.Chain, indices ...int) (out []string) {
	for i, item := range c {
		if len(indices) == 0 || slices.Contains(indices, i) {
			out = append(out, item.Action.String())
		}
	}
	return out
}

func fields(c chain.Chain) (out []string) {
	for i, item := range c {
		if item.Index != i {
			return []string{"counted wrong"}
		}
		out = append(out, item.Action.Target+" "+item.Target.Name)
	}
	return out
}

func TestRecover_FromEveryIndex(t *testing.T) {
	t.Parallel()
	before := contact(1).Skeleton()
	for failed := range 4 {
		last := page.ChainProgress{LastExecuted: failed - 1, Total: 4}
		c := four(t)
		t.Run("the element is elsewhere: "+c[failed].Target.Name, func(t *testing.T) {
			t.Parallel()
			r := chain.Recover(c, before, last, nil, contact(31))
			want := []string{"31 Name", "32 Street", "33 City", "34 Phone"}[failed:]
			if diff := cmp.Diff(want, fields(r.Rest)); diff != "" || r.Kind != chain.Retry || r.Failed != failed || r.From != failed || r.Next != 4 {
				t.Errorf("%+v %s", r, diff)
			}
			if !r.Rest[0].Retried || len(r.Rest) > 1 && r.Rest[1].Retried {
				t.Error("the failed item alone is tried again")
			}
		})
		t.Run("it may fail: "+c[failed].Target.Name, func(t *testing.T) {
			t.Parallel()
			r := chain.Recover(four(t, failed), before, last, nil, contact(1))
			want := []string{"1 Name", "2 Street", "3 City", "4 Phone"}[failed+1:]
			if diff := cmp.Diff(append([]string(nil), want...), fields(r.Rest)); diff != "" || r.Kind != chain.Skip || r.From != failed+1 || r.Next != 4 {
				t.Errorf("%+v %s", r, diff)
			}
		})
		t.Run("it may not: "+c[failed].Target.Name, func(t *testing.T) {
			t.Parallel()
			r := chain.Recover(c, before, last, nil, contact(1))
			if r.Kind != chain.Regenerate || r.Failed != failed || r.From != failed || len(r.Rest) != 0 || r.Why == "" {
				t.Errorf("%+v", r)
			}
			if len(r.Executed) != failed {
				t.Errorf("executed %v", r.Executed)
			}
		})
	}
}

func TestRecover(t *testing.T) {
	t.Parallel()
	c, before := four(t), contact(1).Skeleton()
	retried := four(t)
	retried[1].Retried = true
	covered := contact(31)
	covered.Elements[1].State.Occluded = true
	coveredLater := contact(31)
	coveredLater.Elements[2].State.Occluded = true
	renamed := contact(31)
	renamed.Elements[1].Name = "Avenue"
	page.AssignKeys(renamed.Elements)
	twice := contact(31)
	twice.Elements = slices.Insert(twice.Elements, 2, page.Element{ID: "50", Role: "textbox", Name: "Street", Group: "Contact"})
	page.AssignKeys(twice.Elements)
	stopped := func(last int, executed ...string) page.ChainProgress {
		return page.ChainProgress{LastExecuted: last, Executed: executed}
	}
	at := func(a string) *page.ActionError { return &page.ActionError{Action: a} }
	for _, tc := range []struct {
		name    string
		chain   chain.Chain
		report  page.ChainProgress
		failure *page.ActionError
		now     page.Page
		kind    chain.Kind
		failed  int
		from    int
		rest    []string
		next    int
	}{
		{"the first failed, without an index", c, stopped(-1), nil, contact(1), chain.Regenerate, 0, 0, nil, 0},
		{"the first failed elsewhere, without an index", c, stopped(-1), nil, contact(31), chain.Retry, 0, 0, []string{"31 Name", "32 Street", "33 City", "34 Phone"}, 4},
		{"no index, but a list", c, stopped(-1, texts(c, 0, 1)...), nil, contact(1), chain.Regenerate, 2, 2, nil, 2},
		{"a list and its index", c, stopped(1, texts(c, 0, 1)...), nil, contact(1), chain.Regenerate, 2, 2, nil, 2},
		{"ids in the list without quotes", c, stopped(0, `setValue(1,"value Name")`), nil, contact(1), chain.Regenerate, 1, 1, nil, 1},
		{"one that may fail was passed over", four(t, 1), stopped(2, texts(c, 0, 2)...), nil, contact(1), chain.Regenerate, 3, 3, nil, 3},
		{"the client names a later one, those between may fail", four(t, 1, 2), stopped(0), at(c[3].Action.String()), contact(1), chain.Regenerate, 3, 3, nil, 3},
		{"the client names it by the id", four(t, 1), stopped(0), &page.ActionError{ElementID: "3"}, contact(1), chain.Regenerate, 2, 2, nil, 2},
		{"the client names another element", c, stopped(0), &page.ActionError{ElementID: "77"}, contact(1), chain.Regenerate, 1, 1, nil, 1},
		{"the last failed and may", four(t, 3), stopped(2), nil, contact(1), chain.Skip, 3, 4, nil, 4},
		{"all were executed, and a failure is reported", c, stopped(3, texts(c)...), at(c[3].Action.String()), contact(1), chain.Nothing, -1, 4, nil, 4},
		{"all were executed, by the index", c, stopped(3), nil, contact(31), chain.Nothing, -1, 4, nil, 4},
		{"it was retried before", retried, stopped(0), nil, contact(31), chain.Regenerate, 1, 1, nil, 1},
		{"its element is gone", c, stopped(0), nil, contact(31, "Street"), chain.Regenerate, 1, 1, nil, 1},
		{"its element has another name now", c, stopped(0), nil, renamed, chain.Regenerate, 1, 1, nil, 1},
		{"its element is one of two now", c, stopped(0), nil, twice, chain.Regenerate, 1, 1, nil, 1},
		{"its element is elsewhere and covered", c, stopped(0), nil, covered, chain.Regenerate, 1, 1, nil, 1},
		{"a later one is gone", c, stopped(-1), nil, contact(31, "City"), chain.Retry, 0, 0, []string{"31 Name", "32 Street"}, 2},
		{"a later one is covered", c, stopped(-1), nil, coveredLater, chain.Retry, 0, 0, []string{"31 Name", "32 Street"}, 2},
		{"it may fail, and the next is gone", four(t, 0), stopped(-1), nil, contact(1, "Street"), chain.Regenerate, 0, 1, nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := chain.Recover(tc.chain, before, tc.report, tc.failure, tc.now)
			if r.Kind != tc.kind || r.Failed != tc.failed || r.From != tc.from || r.Next != tc.next || r.Why == "" {
				t.Errorf("%+v", r)
			}
			if diff := cmp.Diff(tc.rest, fields(r.Rest)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecover_DoesNotGuessWhereTheReportDoesNotFit(t *testing.T) {
	t.Parallel()
	c, before := four(t), contact(1).Skeleton()
	for _, tc := range []struct {
		name     string
		report   page.ChainProgress
		failure  *page.ActionError
		from     int
		executed []int
	}{
		{"an index beyond the end", page.ChainProgress{LastExecuted: 4}, nil, 0, []int{0, 1, 2, 3}},
		{"an index far beyond the end", page.ChainProgress{LastExecuted: 1 << 30}, nil, 0, []int{0, 1, 2, 3}},
		{"an index there cannot be", page.ChainProgress{LastExecuted: -2}, nil, 0, nil},
		{"another length", page.ChainProgress{LastExecuted: 1, Total: 3}, nil, 0, []int{0, 1}},
		{"another length, with a list", page.ChainProgress{LastExecuted: 1, Total: 5, Executed: texts(c, 0, 1)}, nil, 2, []int{0, 1}},
		{"an index behind the list", page.ChainProgress{LastExecuted: 0, Executed: texts(c, 0, 1)}, nil, 1, []int{0, 1}},
		{"an index before the list", page.ChainProgress{LastExecuted: 2, Executed: texts(c, 0)}, nil, 1, []int{0, 2}},
		{"another action on the list", page.ChainProgress{LastExecuted: 0, Executed: []string{`click("9")`}}, nil, 0, []int{0}},
		{"something that is no action", page.ChainProgress{LastExecuted: 0, Executed: []string{"typed"}}, nil, 0, []int{0}},
		{"one twice", page.ChainProgress{LastExecuted: 1, Executed: append(texts(c, 0), texts(c, 0)...)}, nil, 1, []int{0, 1}},
		{"the wrong order", page.ChainProgress{LastExecuted: 1, Executed: append(texts(c, 1), texts(c, 0)...)}, nil, 0, []int{1}},
		{"one that may not fail was passed over", page.ChainProgress{LastExecuted: 2, Executed: texts(c, 0, 2)}, nil, 1, []int{0, 2}},
		{"so says the error", page.ChainProgress{LastExecuted: 0}, &page.ActionError{Action: c[2].Action.String()}, 0, []int{0}},
		{"the failed one was executed", page.ChainProgress{LastExecuted: 1}, &page.ActionError{Action: c[0].Action.String()}, 0, []int{0, 1}},
		{"the failed one is not in it", page.ChainProgress{LastExecuted: 1}, &page.ActionError{Action: `click("9")`}, 0, []int{0, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := chain.Recover(c, before, tc.report, tc.failure, contact(31))
			if r.Kind != chain.Regenerate || r.Failed != -1 || len(r.Rest) != 0 || r.From != tc.from || r.Why == "" {
				t.Errorf("%+v", r)
			}
			if diff := cmp.Diff(tc.executed, r.Executed); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecover_OfShortChains(t *testing.T) {
	t.Parallel()
	one := read(page.Element{ID: "1", Role: "textbox", Name: "Name"})
	moved := read(page.Element{ID: "2", Role: "textbox", Name: "Name"})
	failed, whole := page.ChainProgress{LastExecuted: -1, Total: 1}, page.ChainProgress{LastExecuted: 0, Total: 1}
	for _, tc := range []struct {
		name   string
		chain  chain.Chain
		report page.ChainProgress
		now    page.Page
		kind   chain.Kind
		rest   int
	}{
		{"of none, nothing", nil, page.ChainProgress{LastExecuted: -1}, one, chain.Nothing, 0},
		{"of none, something", nil, page.ChainProgress{LastExecuted: 0}, one, chain.Regenerate, 0},
		{"of one, executed", fill(t, one), whole, one, chain.Nothing, 0},
		{"of one, failed", fill(t, one), failed, one, chain.Regenerate, 0},
		{"of one, failed and may", fill(t, one, 0), failed, one, chain.Skip, 0},
		{"of one, elsewhere", fill(t, one), failed, moved, chain.Retry, 1},
		{"of one, elsewhere, and may", fill(t, one, 0), failed, moved, chain.Retry, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := chain.Recover(tc.chain, one.Skeleton(), tc.report, nil, tc.now)
			if r.Kind != tc.kind || len(r.Rest) != tc.rest {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestRecover_FindsByDescriptionWithoutTheSkeleton(t *testing.T) {
	t.Parallel()
	r := chain.Recover(four(t), page.Skeleton{}, page.ChainProgress{LastExecuted: 1}, nil, contact(31))
	if diff := cmp.Diff([]string{"33 City", "34 Phone"}, fields(r.Rest)); diff != "" || r.Kind != chain.Retry {
		t.Errorf("%+v %s", r, diff)
	}
}

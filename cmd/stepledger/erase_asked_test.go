package main

import (
	"net/http"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/leaktest"
)

// erasure is how an erasure stands, once it is completed.
func (c client) erasure(t *testing.T, id string) api.ErasureEntry {
	t.Helper()
	var e api.ErasureEntry
	eventually(t, "the erasure is completed", func() bool {
		e = data[api.ErasureEntry](t, c.get(t, "/api/admin/erasures/"+id))
		return e.Status == "completed"
	})
	return e
}

// audited counts the entries of the audit by what was done and to whom.
func (c client) audited(t *testing.T) map[[2]string]int {
	t.Helper()
	n := map[[2]string]int{}
	for _, e := range data[api.AuditData](t, c.get(t, "/api/admin/audit?limit=1000")).Entries {
		n[[2]string{string(e.Action), e.SubjectID}]++
	}
	return n
}

// An admin has a user and a task erased: recorded at once, done without further ado, the
// same however often it is asked for, and in the audit once.
func TestErase_AskedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	owner := data[api.SessionData](t, s.get(t, "/api/v1/auth/session"))
	gone := personal("zerzura")
	victim := s.member(t, owner.TenantID, gone)
	(&form{m: gone}).fill(t, victim)
	own := (&form{m: personal("thule")}).fill(t, s.client)
	user := data[api.SessionData](t, victim.get(t, "/api/v1/auth/session")).User.ID

	ask := map[string]any{"kind": "user", "id": user, "reason": "asked"}
	r := s.post(t, "/api/admin/erasures", ask, nil)
	asked := data[api.ErasureEntry](t, r)
	victim.wants(t, http.MethodGet, "/api/session", nil, http.StatusUnauthorized, "UNAUTHORIZED")
	done := s.erasure(t, asked.ErasureID)
	if r.header.Get("X-Event-Position") == "" || done.RequestedBy != owner.User.ID || done.Report == nil || len(done.Report.Erased) == 0 {
		t.Errorf("position %q, %+v", r.header.Get("X-Event-Position"), done)
	}
	again := data[api.ErasureEntry](t, s.post(t, "/api/admin/erasures", ask, nil))
	if again.ErasureID != asked.ErasureID || again.Status != "completed" {
		t.Errorf("asked again: %+v", again)
	}
	s.catchUp(t)
	gone.Find(t, "a table", leaktest.Text(leaktest.Tables(t, s.url)))

	task := data[api.ErasureEntry](t, s.post(t, "/api/admin/erasures", map[string]any{"kind": "task", "id": own.task, "reason": "mistake"}, nil))
	s.erasure(t, task.ErasureID)
	if all := data[api.ErasuresData](t, s.get(t, "/api/admin/erasures")).Erasures; len(all) != 2 || all[0].ErasureID != task.ErasureID {
		t.Errorf("erasures %+v", all)
	}
	s.wants(t, http.MethodPost, "/api/admin/erasures", map[string]any{"kind": "user", "id": owner.User.ID, "reason": "left"}, http.StatusConflict, "RESOURCE_CONFLICT")
	s.tool(t, "erase", "user", user, "--tenant", owner.TenantID)
	var n map[[2]string]int
	eventually(t, "both ends are in the audit", func() bool { // right after they are recorded
		n = s.audited(t)
		return n[[2]string{string(account.ErasureCompleted), user}] > 0 && n[[2]string{string(account.ErasureCompleted), own.task}] > 0
	})
	for _, action := range []account.Action{account.ErasureRequested, account.ErasureCompleted} {
		for _, subject := range []string{user, own.task} {
			if n[[2]string{string(action), subject}] != 1 {
				t.Errorf("%s of %s is in the audit %d times", action, subject, n[[2]string{string(action), subject}])
			}
		}
	}
}

// A tenant is erased with its name repeated, and then nobody of it is known.
func TestErase_TenantAskedOverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	owner := data[api.SessionData](t, s.get(t, "/api/v1/auth/session"))
	ask := map[string]any{"kind": "tenant", "id": owner.TenantID, "reason": "left"}
	s.wants(t, http.MethodPost, "/api/admin/erasures", ask, http.StatusBadRequest, "VALIDATION_ERROR")
	ask["confirm"] = owner.TenantName
	if e := data[api.ErasureEntry](t, s.post(t, "/api/admin/erasures", ask, nil)); e.Kind != "tenant" || e.ID != owner.TenantID {
		t.Errorf("%+v", e)
	}
	eventually(t, "the caller's token is no good", func() bool {
		r, err := s.do(t.Context(), http.MethodGet, "/api/admin/tenant", nil, nil)
		return err == nil && r.status == http.StatusUnauthorized
	})
	eventually(t, "it is completed", func() bool {
		all, err := s.erasing().Erasures(t.Context(), owner.TenantID)
		return err == nil && len(all) == 1 && all[0].Completed != nil
	})
	var entries []account.Audited
	eventually(t, "its end is in the audit", func() bool { // right after it is recorded
		var err error
		entries, err = s.identity.Audit(t.Context(), account.AuditFilter{TenantID: owner.TenantID, Action: account.ErasureCompleted, Limit: 10})
		return err == nil && len(entries) > 0
	})
	if len(entries) != 1 || entries[0].ActorID != owner.User.ID {
		t.Errorf("audit %+v", entries)
	}
}

// What an operator does to a tenant's keys, limits and budget is in its audit: a repeat
// that changes nothing is not.
func TestAudit_OfTheOperator(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	newPursuit().finish(t, s.client)
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	for range 2 {
		s.tool(t, "tenant", "limits", tenant, "--class", "usage", "--per-minute", "77")
		s.tool(t, "tenant", "budget", tenant, "--amount", "250")
	}
	s.tool(t, "tenant", "limits", tenant, "--clear")
	s.tool(t, "tenant", "budget", tenant, "--amount", "none")
	s.tool(t, "keys", "rotate", "--tenant", tenant)
	n := s.audited(t)
	for action, want := range map[account.Action]int{account.LimitChanged: 2, account.BudgetChanged: 2, account.KeyRotated: 1} {
		if got := n[[2]string{string(action), ""}]; got != want {
			t.Errorf("%s is in the audit %d times, want %d", action, got, want)
		}
	}
	other, err := s.identity.CreateTenant(t.Context(), account.Actor{}, identity.NewTenant{Name: "Globex", Tier: identity.TierDemo})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.identity.AuditKeys(t.Context(), account.Actor{}, ""); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{tenant, other} {
		entries, err := s.identity.Audit(t.Context(), account.AuditFilter{TenantID: id, Action: account.MasterRotated, Limit: 10})
		if err != nil || len(entries) != 1 {
			t.Errorf("the master key in the audit of %s: %+v, %v", id, entries, err)
		}
	}
}

package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/scope"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/projections/skills"
)

// erasing is the use case over this system's stores.
func (s *system) erasing() commands.Erase {
	return commands.Erase{
		Log: s.events, Feed: s.events, Content: erasedContent{s.content}, Accounts: erasedAccounts{s.identity}, Views: erasedViews{s}, Knowledge: s.eraseKnowledge(),
		List: erasureList{s.cfg.Erasures}, Known: &s.erasedTenants, Clock: s.now, IDs: domain.NewUUID,
	}
}

type erasedContent struct{ *content.Store }

func (c erasedContent) Erase(ctx context.Context, tenant, subject string) ([]erasure.Count, error) {
	e, err := c.Store.Erase(ctx, tenant, subject)
	return contentCounts(e), err
}

func (c erasedContent) EraseTenant(ctx context.Context, tenant string) ([]erasure.Count, error) {
	e, err := c.Store.EraseTenant(ctx, tenant)
	return append(contentCounts(e), erasure.Count{Store: "content", What: "tenant keys", Count: e.TenantKeys}), err
}

func contentCounts(e content.Erased) []erasure.Count {
	return []erasure.Count{
		{Store: "content", What: "data keys", Count: e.DataKeys},
		{Store: "content", What: "pages, screenshots, prompts and answers", Count: e.Blobs},
	}
}

type erasedAccounts struct{ *identity.Store }

func (a erasedAccounts) EraseUser(ctx context.Context, tenant, user string) ([]erasure.Count, error) {
	e, err := a.Store.EraseUser(ctx, tenant, user)
	return accountCounts(e), err
}

func (a erasedAccounts) EraseTenant(ctx context.Context, tenant string) ([]erasure.Count, error) {
	e, err := a.Store.EraseTenant(ctx, tenant)
	return accountCounts(e), err
}

func (a erasedAccounts) HasUser(ctx context.Context, tenant, user string) (bool, error) {
	if !domain.ValidUUID(tenant) || !domain.ValidUUID(user) {
		return false, nil
	}
	return a.Store.HasUser(ctx, tenant, user)
}

// Audit implements commands.ErasedAccounts.
func (a erasedAccounts) Audit(ctx context.Context, e erasure.Erasure) error {
	by := account.Actor{Request: scope.Of(ctx).IDs().Request}
	if domain.ValidUUID(e.By) { // not the operator
		by.UserID = e.By
	}
	subject := e.Subject
	if e.Kind == erasure.Tenant {
		subject = ""
	}
	what := fmt.Sprintf("%s, %s", e.Kind, e.Reason)
	if err := a.AuditErasure(ctx, by, e.Tenant, account.ErasureRequested, subject, what); err != nil || e.Completed == nil {
		return err
	}
	return a.AuditErasure(ctx, by, e.Tenant, account.ErasureCompleted, subject, what)
}

func accountCounts(e identity.Erased) []erasure.Count {
	return []erasure.Count{
		{Store: "identity", What: "users", Count: e.Users},
		{Store: "identity", What: "logins", Count: e.Tokens},
		{Store: "identity", What: "preferences", Count: e.Preferences},
		{Store: "identity", What: "invitations", Count: e.Invites},
	}
}

type erasedViews struct{ *system }

// erasedRows are the rows that go with a task, by what they are.
var erasedRows = []struct{ what, sql string }{
	{"tasks", `select count(*) from read.task where task_id = any($1::uuid[])`},
	{"sessions", `select count(*) from read.session where session_id in (select session_id from read.task where task_id = any($1::uuid[]))`},
	{"messages", `select count(*) from read.message where task_id = any($1::uuid[])`},
	{"skills taught", `select count(*) from read.skill where task_id = any($1::uuid[])`},
}

// Rows implements commands.ErasedViews. The read models are first brought to the end of the
// log, or they would hold more than is counted.
func (v erasedViews) Rows(ctx context.Context, tasks []string) ([]erasure.Count, error) {
	if err := v.runner.CatchUp(ctx); err != nil {
		return nil, err
	}
	var valid []string
	for _, id := range tasks {
		if domain.ValidUUID(id) {
			valid = append(valid, id)
		}
	}
	var b pgx.Batch
	for _, r := range erasedRows {
		b.Queue(r.sql, valid)
	}
	results := v.db.SendBatch(ctx, &b)
	defer results.Close()
	var out []erasure.Count
	for _, r := range erasedRows {
		c := erasure.Count{Store: "read", What: r.what}
		if err := results.QueryRow().Scan(&c.Count); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// Forget implements commands.ErasedViews. What projections have put aside goes with the
// event itself.
func (v erasedViews) Forget(ctx context.Context, id string) ([]erasure.Count, error) {
	n, err := consumer.Store{DB: v.db}.Forget(ctx, task.Stream(id))
	return []erasure.Count{{Store: "feed", What: "events put aside", Count: n}}, err
}

// Settle implements commands.ErasedViews. Skills are counted anew: an erased task may have
// confirmed what another had taught.
func (v erasedViews) Settle(ctx context.Context) error {
	if err := v.runner.CatchUp(ctx); err != nil {
		return err
	}
	return v.runner.Rebuild(ctx, skills.Projection.Name)
}

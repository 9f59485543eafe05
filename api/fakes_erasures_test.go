package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/projections/tasks"
)

const erasureA = "aaaaaaaa-0000-4000-8000-000000000015"

// fakeErasures has an erasure of the operator's that is completed, and takes others.
type fakeErasures struct{ w *world }

func (f fakeErasures) RequestErasure(_ context.Context, by account.Actor, r erasure.ErasureRequested) (commands.RecordedErasure, error) {
	switch {
	case f.w.fail != nil:
		return commands.RecordedErasure{}, f.w.fail
	case r.Kind == erasure.User && r.Subject == userA:
		return commands.RecordedErasure{}, domain.Errorf(domain.Conflict, domain.CodeConflict, "this is the tenant's last admin").At("userId")
	case r.Kind == erasure.User:
		if err := f.w.known(r.Tenant, r.Subject); err != nil {
			return commands.RecordedErasure{}, err
		}
	case r.Kind == erasure.Task && (r.Tenant != tenantA || r.Subject != taskA):
		return commands.RecordedErasure{}, tasks.NotFound().At("subject")
	}
	r.Erasure, r.By, r.At = erasureA, by.UserID, noon
	return commands.RecordedErasure{Erasure: erasure.Erasure{ErasureRequested: r}, Position: 42}, nil
}

func (f fakeErasures) Erasures(_ context.Context, tenant string) ([]commands.RecordedErasure, error) {
	if tenant != tenantA {
		return nil, f.w.fail
	}
	done := erasure.ErasureRequested{Erasure: erasureA, Tenant: tenant, Kind: erasure.Task, Subject: taskB, By: "operator", Reason: erasure.Law, At: noon.Add(-time.Hour)}
	open := erasure.ErasureRequested{Erasure: callA, Tenant: tenant, Kind: erasure.User, Subject: userMember, By: userA, Reason: erasure.Left, At: noon}
	report := erasure.Report{Erased: []erasure.Count{{Store: "log", What: "tasks", Count: 1}}, Kept: []erasure.Kept{{Store: "log", What: "events", Why: "ids"}}}
	return []commands.RecordedErasure{
		{Erasure: erasure.Erasure{ErasureRequested: done, Completed: &erasure.ErasureCompleted{Erasure: erasureA, At: noon, Report: report}}, Position: 7},
		{Erasure: erasure.Erasure{ErasureRequested: open}, Position: 9},
	}, f.w.fail
}

// hungErasures never answers.
type hungErasures struct{}

func (hungErasures) RequestErasure(ctx context.Context, _ account.Actor, _ erasure.ErasureRequested) (e commands.RecordedErasure, err error) {
	return e, hangs(ctx)
}

func (hungErasures) Erasures(ctx context.Context, _ string) ([]commands.RecordedErasure, error) {
	return nil, hangs(ctx)
}

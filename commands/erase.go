package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// Erasures is the aggregate of the record of a tenant's erasures.
var Erasures = Aggregate[erasure.State, erasure.Command, erasure.Event]{Decider: erasure.Decider, Codec: erasure.Codec}

// ErasedContent destroys keys and what is stored under them. Every method may be repeated;
// then it finds less.
type ErasedContent interface {
	// Erase destroys the key of a subject and deletes its content. No key is made for it
	// afterwards.
	Erase(ctx context.Context, tenant, subject string) ([]erasure.Count, error)
	EraseTenant(ctx context.Context, tenant string) ([]erasure.Count, error)
	// Applied notes that an erasure was carried out here, and IsApplied tells: a restored
	// backup does not know of it.
	Applied(ctx context.Context, erasure string) error
	IsApplied(ctx context.Context, erasure string) (bool, error)
}

// ErasedAccounts ends the logins of users for ever and replaces what identifies them.
type ErasedAccounts interface {
	EraseUser(ctx context.Context, tenant, user string) ([]erasure.Count, error)
	EraseTenant(ctx context.Context, tenant string) ([]erasure.Count, error)
	// HasUser reports whether a tenant has, or had, a user.
	HasUser(ctx context.Context, tenant, user string) (bool, error)
	// Audit enters the request of an erasure, and its end if there was one, into the account
	// of who changed what. What is entered already stays as it is.
	Audit(ctx context.Context, e erasure.Erasure) error
}

// ErasedViews are the read models and what is put aside beside the log.
type ErasedViews interface {
	// Rows counts what they hold of tasks.
	Rows(ctx context.Context, tasks []string) ([]erasure.Count, error)
	// Forget drops what consumers have put aside of a task.
	Forget(ctx context.Context, task string) ([]erasure.Count, error)
	// Settle brings the read models to the end of the log, and counts anew what erased
	// tasks have contributed to that is not theirs alone.
	Settle(ctx context.Context) error
}

// ErasedKnowledge is what an organisation knows. Every method may be repeated.
type ErasedKnowledge interface {
	// ForgetTasks destroys what was learnt from the pages of tasks.
	ForgetTasks(ctx context.Context, tenant string, tasks []string) ([]erasure.Count, error)
	// ForgetTenant removes all sources of a tenant and destroys what they hold.
	ForgetTenant(ctx context.Context, tenant string) ([]erasure.Count, error)
}

// ErasureList is the list of erasures outside the database.
type ErasureList interface {
	// Add puts entries into the list that are not there. They are durable when it returns.
	Add(ctx context.Context, entries ...erasure.Listed) error
}

// Erase forgets users, tenants and tasks. The request is recorded first; what follows may
// be repeated after a crash at any point, by whoever calls Resume.
type Erase struct {
	Log       eventstore.Log
	Feed      eventstore.Feed
	Content   ErasedContent
	Accounts  ErasedAccounts
	Views     ErasedViews
	Knowledge ErasedKnowledge
	List      ErasureList
	// Known, if set, is shared by the calls of a process, so that not each of them reads the
	// whole log.
	Known *ErasedTenants
	Clock Clock
	IDs   IDs
	// Hook, if set, is called with the name of each point where a crash would leave work
	// half done. It is for tests.
	Hook func(point string)
}

// LateFor is how long after its end an erasure is looked after: a request of the user
// that was authenticated before may still have begun a task.
const LateFor = 15 * time.Minute

// RecordedErasure is an entry of the record with the log's position of the request.
type RecordedErasure struct {
	erasure.Erasure
	Position int64
}

// operator acts where no user does.
const operator = "operator"

// Request records that something is to be erased, and returns the entry: that of the first
// request if there was one. By is a user's id, "" for the operator. A user or task that is
// not the tenant's is NotFound.
func (c Erase) Request(ctx context.Context, r erasure.ErasureRequested) (RecordedErasure, error) {
	if err := c.isTheirs(ctx, r); err != nil {
		return RecordedErasure{}, fmt.Errorf("request an erasure: %w", err)
	}
	return c.request(ctx, r)
}

func (c Erase) isTheirs(ctx context.Context, r erasure.ErasureRequested) error {
	switch r.Kind {
	case erasure.User:
		if has, err := c.Accounts.HasUser(ctx, r.Tenant, r.Subject); err != nil || !has {
			return cmp.Or(err, error(domain.Errorf(domain.NotFound, domain.CodeNotFound, "the tenant has no such user").At("subject")))
		}
	case erasure.Task:
		first, err := c.Log.ReadStream(ctx, task.Stream(r.Subject), eventstore.ReadOptions{Limit: 1})
		if err != nil {
			return err
		}
		if len(first.Events) == 0 || first.Events[0].Metadata().Tenant != r.Tenant {
			return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task").At("subject")
		}
	}
	return nil
}

func (c Erase) request(ctx context.Context, r erasure.ErasureRequested) (RecordedErasure, error) {
	if r.By == "" {
		r.By = operator
	}
	if r.At.IsZero() {
		r.At = c.Clock()
	}
	id := erasure.ID(r.Tenant, r.Kind, r.Subject)
	_, err := Erasures.Transact(ctx, c.Log, erasure.Stream(r.Tenant), nil, c.writing(r.Tenant, r.By, id), erasure.Request{Requested: r})
	if err != nil {
		return RecordedErasure{}, fmt.Errorf("request an erasure: %w", err)
	}
	c.at("erasure.requested")
	e, err := c.Find(ctx, r.Tenant, id)
	if err != nil {
		return e, err
	}
	return e, c.audit(ctx, e)
}

func (c Erase) audit(ctx context.Context, e RecordedErasure) error {
	if err := c.Accounts.Audit(ctx, e.Erasure); err != nil {
		return fmt.Errorf("enter an erasure into the audit: %w", err)
	}
	return nil
}

func (c Erase) writing(tenant, by, correlation string) Writing {
	return Writing{
		Meta: eventstore.Metadata{Tenant: tenant, Actor: by, Correlation: correlation, Schema: 1}, ID: RandomIDs(c.IDs),
	}
}

func (c Erase) at(point string) {
	if c.Hook != nil {
		c.Hook(point)
	}
}

// Erasures lists a tenant's record, oldest request first.
func (c Erase) Erasures(ctx context.Context, tenant string) ([]RecordedErasure, error) {
	state := erasure.Decider.Initial()
	positions := map[string]int64{}
	for from := int64(0); ; {
		slice, err := c.Log.ReadStream(ctx, erasure.Stream(tenant), eventstore.ReadOptions{From: from})
		if err != nil {
			return nil, fmt.Errorf("list erasures: %w", err)
		}
		for _, r := range slice.Events {
			e, err := erasure.Codec.Decode(r.Type, r.Data, r.ID, nil)
			if domain.IsNewer(err) {
				from = r.Revision + 1
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("list erasures: %w", err)
			}
			if requested, ok := e.(erasure.ErasureRequested); ok {
				positions[requested.Erasure] = r.Position
			}
			state, from = erasure.Evolve(state, e), r.Revision+1
		}
		if !slice.More {
			break
		}
	}
	var out []RecordedErasure
	for _, e := range state.InOrder() {
		out = append(out, RecordedErasure{e, positions[e.ErasureRequested.Erasure]})
	}
	return out, nil
}

// Find returns an entry of a tenant's record by the erasure's id, NotFound if there is none.
func (c Erase) Find(ctx context.Context, tenant, id string) (RecordedErasure, error) {
	all, err := c.Erasures(ctx, tenant)
	if err != nil {
		return RecordedErasure{}, err
	}
	i := slices.IndexFunc(all, func(e RecordedErasure) bool { return e.ErasureRequested.Erasure == id })
	if i < 0 {
		return RecordedErasure{}, domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such erasure")
	}
	return all[i], nil
}

// Run does the work of an erasure and records its end. Of one that has ended it does what
// is left of it; that is recorded only if there was something.
func (c Erase) Run(ctx context.Context, tenant, id string) (RecordedErasure, error) {
	return c.run(ctx, tenant, id, false)
}

func (c Erase) run(ctx context.Context, tenant, id string, restored bool) (RecordedErasure, error) {
	e, err := c.Find(ctx, tenant, id)
	if err != nil {
		return e, err
	}
	if err := c.List.Add(ctx, e.Listed()); err != nil {
		return e, fmt.Errorf("list an erasure outside the database: %w", err)
	}
	c.at("erasure.listed")
	work := erasing{Erase: c, ctx: ctx, of: e}
	if e.Completed != nil && !restored {
		work.after = e.Position // what was there before was found
	}
	report, err := work.do()
	if err != nil {
		return e, fmt.Errorf("erase %s %s: %w", e.Kind, e.Subject, err)
	}
	done := erasure.Complete{Erasure: id, At: c.Clock(), Report: report, Restored: restored}
	if _, err := Erasures.Transact(ctx, c.Log, erasure.Stream(tenant), nil, c.writing(tenant, e.By, id), done); err != nil {
		return e, fmt.Errorf("record the end of an erasure: %w", err)
	}
	c.at("erasure.completed")
	if e, err = c.Find(ctx, tenant, id); err != nil {
		return e, err
	}
	// Before it counts as applied: what a crash leaves out here is done again.
	if err := c.audit(ctx, e); err != nil {
		return e, err
	}
	return e, c.Content.Applied(ctx, id)
}

// Resume brings to an end what was requested and is not completed, looks after what was
// completed lately, and does again what the database does not know of any more though the
// log does. It returns how many it worked on. What was erased with another list is put on
// this one.
func (c Erase) Resume(ctx context.Context) (n int, err error) {
	tenants, err := c.tenants(ctx)
	if err != nil {
		return 0, err
	}
	var listed []erasure.Listed
	for _, tenant := range tenants {
		all, listErr := c.Erasures(ctx, tenant)
		err = errors.Join(err, listErr)
		for _, e := range all {
			listed = append(listed, e.Listed())
			due, restored, dueErr := c.isDue(ctx, e)
			if dueErr == nil && due {
				n++
				_, dueErr = c.run(ctx, tenant, e.ErasureRequested.Erasure, restored)
			}
			err = errors.Join(err, dueErr)
		}
	}
	if listErr := c.List.Add(ctx, listed...); listErr != nil {
		err = errors.Join(err, fmt.Errorf("list erasures outside the database: %w", listErr))
	}
	return n, err
}

func (c Erase) isDue(ctx context.Context, e RecordedErasure) (due, restored bool, err error) {
	if e.Completed == nil {
		return true, false, nil
	}
	known, err := c.Content.IsApplied(ctx, e.ErasureRequested.Erasure)
	if err != nil {
		return false, false, err
	}
	late := c.Clock().Before(e.Completed.At.Add(LateFor)) && e.Kind == erasure.User
	return !known || late, !known, nil
}

// tenants are those of whom something was ever erased.
func (c Erase) tenants(ctx context.Context) ([]string, error) {
	known := c.Known
	if known == nil {
		known = &ErasedTenants{}
	}
	all, err := known.upToDate(ctx, c.Feed)
	if err != nil {
		return nil, fmt.Errorf("find erasures: %w", err)
	}
	return all, nil
}

// AllErasures lists the records of all tenants, by tenant.
func (c Erase) AllErasures(ctx context.Context) (out []RecordedErasure, err error) {
	tenants, err := c.tenants(ctx)
	if err != nil {
		return nil, err
	}
	for _, tenant := range tenants {
		of, err := c.Erasures(ctx, tenant)
		if err != nil {
			return nil, err
		}
		out = append(out, of...)
	}
	return out, nil
}

// Reapply carries out what a list says was erased, as far as the log or the database does
// not know of it: after a backup was restored. It returns how many were carried out.
func (c Erase) Reapply(ctx context.Context, list []erasure.Listed) (n int, err error) {
	records := map[string]map[string]RecordedErasure{} // each is read once, however long the list is
	for _, l := range list {
		record, appliedErr := records[l.Tenant], error(nil)
		if record == nil {
			record, appliedErr = c.record(ctx, l.Tenant)
		}
		did := false
		if appliedErr == nil {
			records[l.Tenant] = record
			did, appliedErr = c.reapply(ctx, l, record)
		}
		if did {
			n++
		}
		err = errors.Join(err, appliedErr)
	}
	return n, err
}

// record is that of a tenant by the ids of the erasures.
func (c Erase) record(ctx context.Context, tenant string) (map[string]RecordedErasure, error) {
	all, err := c.Erasures(ctx, tenant)
	if err != nil {
		return nil, err
	}
	record := map[string]RecordedErasure{}
	for _, e := range all {
		record[e.ErasureRequested.Erasure] = e
	}
	return record, nil
}

func (c Erase) reapply(ctx context.Context, l erasure.Listed, record map[string]RecordedErasure) (bool, error) {
	e, recorded := record[l.Erasure]
	if !recorded {
		var err error
		if e, err = c.request(ctx, erasure.ErasureRequested{Tenant: l.Tenant, Kind: l.Kind, Subject: l.Subject, Reason: l.Reason, At: l.At}); err != nil {
			return false, err
		}
	}
	if known, err := c.Content.IsApplied(ctx, l.Erasure); err != nil || known && e.Completed != nil {
		return false, err
	}
	_, err := c.run(ctx, l.Tenant, l.Erasure, true)
	return err == nil, err
}

// readAll calls f for the events after a position that pass a filter, in order.
func readAll(ctx context.Context, log eventstore.Feed, after int64, filter eventstore.Filter, f func(eventstore.Recorded) error) error {
	for {
		page, err := log.ReadAll(ctx, after, 0, filter)
		if err != nil {
			return err
		}
		for _, r := range page.Events {
			if err := f(r); err != nil {
				return err
			}
		}
		if page.Scanned <= after {
			return nil
		}
		after = page.Scanned
	}
}

// forgotten is the sealer of a task that is about to be erased: its texts are not needed.
type forgotten struct{}

// Seal implements domain.Sealer.
func (forgotten) Seal([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }

// Open implements domain.Sealer.
func (forgotten) Open([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }

// tasksOf gives the tasks of a user, or of a tenant for "", that began or went on after a
// position, a bounded number at a time. Of a task that began after it only its first event
// counts, so that it comes once.
func (c Erase) tasksOf(ctx context.Context, tenant, user string, after int64, do func(ids []string) error) error {
	found := map[string]bool{}
	flush := func() error {
		ids := slices.Sorted(maps.Keys(found))
		clear(found)
		return do(ids)
	}
	filter := eventstore.Filter{Categories: []string{"task"}, Types: []string{task.NamePageObserved}}
	err := readAll(ctx, c.Feed, after, filter, func(r eventstore.Recorded) error {
		if r.Metadata().Tenant != tenant || after == 0 && r.Revision > 0 {
			return nil
		}
		e, err := task.Codec.Clear(r.Type, r.Data)
		if err != nil {
			return fmt.Errorf("%s at %d: %w", r.Stream, r.Revision, err)
		}
		if observed, ok := e.(task.PageObserved); ok && (user == "" || observed.User == user) {
			found[r.Stream[len(task.Stream("")):]] = true
		}
		if len(found) < erasedAtOnce {
			return nil
		}
		return flush()
	})
	if err != nil {
		return fmt.Errorf("find the tasks: %w", err)
	}
	return flush()
}

// erasedAtOnce is how many tasks are held, and counted in the read models, at a time.
const erasedAtOnce = 500

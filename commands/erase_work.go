package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// erasing is the work of one erasure. It begins anew after a crash.
type erasing struct {
	Erase
	ctx context.Context
	of  RecordedErasure
	// after is the position before which nothing is looked for.
	after int64
	// had is whether there were tasks.
	had    bool
	report erasure.Report
}

// do erases. The account comes first, so that nothing new is begun; of each task its
// stream, which fences a turn that is under way, then its key. A tenant's own key goes
// last: with it everything that was overlooked. What lies in an archive that cannot be read
// loses its keys all the same, as far as it is known what that is: the erasure is over once
// the archive can be read.
func (w *erasing) do() (erasure.Report, error) {
	w.report.Kept = kept(w.of.Kind)
	tenant, subject := w.of.Tenant, w.of.Subject
	var err error
	switch w.of.Kind {
	case erasure.User:
		err = w.count(w.Accounts.EraseUser(w.ctx, tenant, subject))
	case erasure.Tenant:
		err = w.count(w.Accounts.EraseTenant(w.ctx, tenant))
	}
	if err != nil {
		return w.report, err
	}
	w.at("erasure.accounts")
	switch w.of.Kind {
	case erasure.Task:
		err = w.tasks([]string{subject})
	case erasure.User:
		err = w.tasksOf(w.ctx, tenant, subject, w.after, w.tasks)
	case erasure.Tenant:
		err = w.tasksOf(w.ctx, tenant, "", w.after, w.tasks)
	}
	unread := err
	if err != nil && (w.of.Kind != erasure.Tenant || !isUnread(err)) {
		return w.report, err
	}
	if w.of.Kind == erasure.Tenant {
		if err := w.count(w.Knowledge.ForgetTenant(w.ctx, tenant)); err != nil {
			return w.report, err
		}
		w.at("erasure.knowledge")
		if err := w.count(w.Content.EraseTenant(w.ctx, tenant)); err != nil {
			return w.report, err
		}
		w.at("erasure.tenant")
	}
	if unread != nil {
		return w.report, unread
	}
	if w.had || w.of.Kind == erasure.Tenant {
		if err := w.Views.Settle(w.ctx); err != nil {
			return w.report, fmt.Errorf("bring the read models up to date: %w", err)
		}
	}
	return w.report, nil
}

// tasks erases tasks. Rows of read models go when these come to the end of a task's
// stream; they are counted before.
func (w *erasing) tasks(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	w.had = true
	if err := w.count(w.Views.Rows(w.ctx, ids)); err != nil {
		return err
	}
	var unread error
	for _, id := range ids {
		err := w.task(id)
		if err = wrapped("task "+id, err); isUnread(err) {
			unread = err
		} else if err != nil {
			return err
		}
		w.at("erasure.task")
	}
	if err := w.count(w.Knowledge.ForgetTasks(w.ctx, w.of.Tenant, ids)); err != nil {
		return err
	}
	return unread
}

func wrapped(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// isUnread reports whether events could not be read because they are archived.
func isUnread(err error) bool {
	var archived *eventstore.ArchiveError
	return errors.As(err, &archived)
}

func (w *erasing) task(id string) error {
	meta := w.writing(w.of.Tenant, w.of.By, id)
	tasks := Tasks.PassingOver()
	v, err := tasks.Load(w.ctx, w.Log, task.Stream(id), forgotten{}, tasks.Start())
	if isUnread(err) {
		return errors.Join(err, w.count(w.Content.Erase(w.ctx, w.of.Tenant, id)))
	}
	if err != nil {
		return err
	}
	if before := v.State; before.Exists() && !before.Erased {
		command := task.Erase{Tenant: w.of.Tenant, Erasure: w.of.ErasureRequested.Erasure}
		if _, err := tasks.Transact(w.ctx, w.Log, task.Stream(id), forgotten{}, meta, command); err != nil {
			return err
		}
		w.add(erasure.Count{Store: "log", What: "tasks", Count: 1})
		if before.Status == task.Active {
			w.add(erasure.Count{Store: "log", What: "tasks interrupted", Count: 1})
		}
	}
	w.at("erasure.fenced")
	if err := w.count(w.Content.Erase(w.ctx, w.of.Tenant, id)); err != nil {
		return err
	}
	return w.count(w.Views.Forget(w.ctx, id))
}

// count adds to the report.
func (w *erasing) count(counts []erasure.Count, err error) error {
	if err != nil {
		return err
	}
	for _, c := range counts {
		w.add(c)
	}
	return nil
}

func (w *erasing) add(c erasure.Count) {
	for i, known := range w.report.Erased {
		if known.Store == c.Store && known.What == c.What {
			w.report.Erased[i].Count += c.Count
			return
		}
	}
	w.report.Erased = append(w.report.Erased, c)
}

// kept is what stays, and why.
func kept(k erasure.Kind) []erasure.Kept {
	out := []erasure.Kept{
		{Store: "log", What: "events of the tasks", Why: "ids, times, hashes and counts; their texts are sealed under keys that are gone"},
		{Store: "log", What: "model calls, bills and corrections", Why: "the accounts are kept; they hold ids, tokens and money"},
		{Store: "billing", What: "budgets and statements", Why: "the accounts are kept; they hold no text"},
		{Store: "read", What: "usage and calibration", Why: "sums by id; they hold no text"},
		{Store: "log", What: "events of sources of knowledge", Why: "ids, times, sizes and counts; names and texts are sealed under keys that are gone"},
		{Store: "outside", What: "exports, statements and recordings that were handed out", Why: "the system keeps no copy and cannot reach them"},
		{Store: "outside", What: "backups", Why: "keys in them are dropped again when one is restored; keep the list of erasures apart from them"},
	}
	switch k {
	case erasure.User:
		out = append(out, erasure.Kept{Store: "identity", What: "the user's id", Why: "events name it; address, name and password are gone"})
	case erasure.Tenant:
		out = append(out, erasure.Kept{Store: "identity", What: "the ids of the tenant and its users", Why: "events name them; addresses, names and passwords are gone"})
	case erasure.Task:
		out = append(out, erasure.Kept{Store: "identity", What: "the user's account", Why: "only the task was erased"})
	}
	return out
}

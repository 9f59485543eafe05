package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/doctor"
)

const doctorHelp = `Looks at the database, what is before it, and how far everything is, and prints what it found and what to do.

It opens the system as serve does: a private Postgres is started, tables of read models that are missing are made, and in a database that was
restored the log's next epoch begins. It changes no schema, and makes no master key.

Exit code: 0 all is well, or there are warnings only; 1 something has failed; 2 it could not look (settings, database).`

// Exit codes of doctor; 0 is all else.
const (
	exitUnwell   = 1
	exitUnlooked = 2
)

// examined is how doctor looks at a system.
type examined struct {
	// processes are how many the database has to have room for.
	processes int
	// deep compares every bill with the ledger, which reads all of it.
	deep bool
	doctor.Limits
	now func() time.Time
	lag time.Duration
}

func (p program) doctorCmd() *cobra.Command {
	asJSON, e := false, examined{Limits: doctor.DefaultLimits(), now: time.Now, lag: 30 * time.Second}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong: settings, pooler, clock, lag, locks, disk, backups; the exit code says whether anything is",
		Long:  doctorHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := p.examine(cmd.Context(), e)
			if err != nil {
				return exitError{exitUnlooked, err}
			}
			if err := p.printFindings(found, asJSON); err != nil {
				return err
			}
			for _, f := range found {
				if f.State == doctor.Fail {
					return exitError{exitUnwell, errors.New("something has failed")}
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	cmd.Flags().IntVar(&e.processes, "processes", 1, "how many processes work on the database")
	cmd.Flags().BoolVar(&e.deep, "deep", false, "compare every bill with the ledger too, which reads all of it")
	cmd.Flags().DurationVar(&e.lag, "lag", e.lag, "how old the oldest event may be that a read model or consumer has not applied; ten times that is a failure")
	return cmd
}

func (p program) printFindings(found []doctor.Finding, asJSON bool) error {
	return looking{p, &asJSON}.print(found, func(w io.Writer) {
		fmt.Fprintln(w, "CHECK\tSTATE\tFOUND\tWHAT TO DO")
		for _, f := range found {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Check, f.State, cell(f.Found, maxFound), f.Do)
		}
	})
}

// maxFound is how many characters of what was found a line has room for.
const maxFound = 160

// examine looks at the database first. What needs a working one, and the schema of this
// version, is looked at after that.
func (p program) examine(ctx context.Context, e examined) ([]doctor.Finding, error) {
	cfg, log, err := p.config()
	if err != nil {
		return nil, err
	}
	s := &system{cfg: cfg, log: quiet(log)}
	defer s.close()
	if err := s.openDatabase(ctx); err != nil {
		return nil, err
	}
	found, err := doctor.Look(ctx, doctor.Patient{
		URL: s.url, Direct: s.direct, Processes: e.processes, Connections: cfg.Connections, DirectConnections: directConns,
		WritersLock: postgres.WritersLock, MigrationLocks: migrationLocks(), Now: e.now, Limits: e.Limits,
	})
	if err != nil {
		return nil, err
	}
	schema := schemaFinding(checkSchemas(ctx, s.direct))
	if found = append(found, schema); schema.State != doctor.OK {
		return found, nil
	}
	return append(found, examineSystem(ctx, cfg, s.log, e)...), nil
}

func schemaFinding(err error) doctor.Finding {
	f := doctor.Finding{Check: "schemas", State: doctor.OK, Found: "of this version, or newer"}
	if err != nil {
		f.State, f.Found, f.Do = doctor.Fail, err.Error(), "run stepledger migrate of this version; the rest was not looked at"
	}
	return f
}

// examineSystem opens what serve opens, but for what would be made for good.
func examineSystem(ctx context.Context, cfg config, log *slog.Logger, e examined) []doctor.Finding {
	key := doctor.Finding{Check: "master key", State: doctor.OK, Found: "it opens the tenants' keys"}
	if !cfg.hasMasterKey() {
		key.State, key.Found = doctor.Fail, fmt.Sprintf("STEPLEDGER_MASTER_KEY is not set, and %s has no %s", cfg.StateDir, masterKeyFile)
		key.Do = "set one of STEPLEDGER_MASTER_KEY and STEPLEDGER_STATE_DIR as for serve; the rest was not looked at"
		return []doctor.Finding{key}
	}
	cfg.Migrate = false
	s, err := openSystem(ctx, cfg, log, hooks{})
	switch {
	case errors.Is(err, content.ErrMasterKey):
		key.State, key.Found = doctor.Fail, err.Error()
		key.Do = "set STEPLEDGER_MASTER_KEY to the key the database was begun with; without it no text can be read"
		return []doctor.Finding{key}
	case err != nil:
		return []doctor.Finding{couldNot("system", err)}
	}
	defer s.close()
	out := []doctor.Finding{key}
	for _, look := range []func(context.Context, examined) ([]doctor.Finding, error){
		s.examineEpoch, s.examineReadModels, s.examineConsumers, s.examineErasures, s.examineArchive, s.examineBudgets, s.examineBills, s.examineModels,
	} {
		found, err := look(ctx, e)
		if err != nil {
			found = append(found, couldNot("", err))
		}
		out = append(out, found...)
	}
	return out
}

// couldNot is a finding of a check that could not look.
func couldNot(check string, err error) doctor.Finding {
	if check == "" {
		check = "look"
	}
	return doctor.Finding{Check: check, State: doctor.Fail, Found: "could not look: " + err.Error()}
}

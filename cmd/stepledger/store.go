package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore/transfer"
)

func (p program) storeCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "store", Short: "Move the log to another event store, and compare the two"}
	cmd.AddCommand(p.storeCopyCmd(), p.storeVerifyCmd(), p.storeRestoredCmd())
	return cmd
}

// ends are the two logs of a command. An address may stand in the environment
// instead, where nobody sees its password in the list of processes.
type ends struct{ from, to string }

func (e *ends) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.from, "from", "", "address of the log to read (default $STORE_FROM)")
	cmd.Flags().StringVar(&e.to, "to", "", "address of the log to write, which nobody else writes to (default $STORE_TO)")
}

// open opens both. What is archived of either is in the place of STEPLEDGER_ARCHIVE.
func (e *ends) open(ctx context.Context, p program) (from, to eventLog, err error) {
	cfg, _, err := p.config()
	if err != nil {
		return nil, nil, err
	}
	place, err := cfg.Archive.place()
	if err != nil {
		return nil, nil, err
	}
	address := func(flag, name string) account.Secret {
		if flag != "" {
			return account.Secret(flag)
		}
		return account.Secret(p.env(name))
	}
	if from, err = openLog(ctx, address(e.from, "STORE_FROM"), place); err != nil {
		return nil, nil, fmt.Errorf("--from: %w", err)
	}
	if to, err = openLog(ctx, address(e.to, "STORE_TO"), place); err != nil {
		from.Close()
		return nil, nil, fmt.Errorf("--to: %w", err)
	}
	return from, to, nil
}

func (p program) storeCopyCmd() *cobra.Command {
	var e ends
	var file string
	cmd := &cobra.Command{
		Use:   "copy --from ADDRESS --to ADDRESS",
		Short: "Copy a log into another store; run again it goes on where it was, and brings what has come since",
		Long: `Copies streams, ids, order, data, metadata and retention, then compares the two logs event by event.

The source may be in use meanwhile: copy, stop the service, copy again, which takes a moment, and start it on the new store.
Read models are then built anew, because positions and the log's id are the new store's own.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, to, err := e.open(cmd.Context(), p)
			if err != nil {
				return err
			}
			defer from.Close()
			defer to.Close()
			return p.copyLog(cmd.Context(), from, to, file)
		},
	}
	e.flags(cmd)
	cmd.Flags().StringVar(&file, "progress", "", "file that says how far the copy has come (default: in the state directory)")
	return cmd
}

func (p program) copyLog(ctx context.Context, from, to eventLog, file string) error {
	cfg, _, err := p.config()
	if err != nil {
		return err
	}
	if file == "" {
		if file, err = progressFile(ctx, cfg.StateDir, from, to); err != nil {
			return err
		}
	}
	at, err := readProgress(file)
	if err != nil {
		return err
	}
	if at.Events > 0 {
		fmt.Fprintf(p.out, "going on after %d events\n", at.Events)
	}
	done, err := transfer.Copy(ctx, from, to, at, func(now transfer.Progress) error {
		fmt.Fprintf(p.out, "%d events copied\n", now.Events)
		return writeProgress(file, now)
	})
	if err != nil {
		return fmt.Errorf("%w\nThe same command goes on after %d events", err, done.Events)
	}
	return p.verifyLogs(ctx, from, to)
}

func (p program) storeVerifyCmd() *cobra.Command {
	var e ends
	cmd := &cobra.Command{
		Use:   "verify --from ADDRESS --to ADDRESS",
		Short: "Compare two logs event by event, by count and hash; nobody may write to them meanwhile",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, to, err := e.open(cmd.Context(), p)
			if err != nil {
				return err
			}
			defer from.Close()
			defer to.Close()
			return p.verifyLogs(cmd.Context(), from, to)
		},
	}
	e.flags(cmd)
	return cmd
}

func (p program) verifyLogs(ctx context.Context, from, to eventLog) error {
	d, err := transfer.Verify(ctx, from, to)
	var parted *transfer.DifferenceError
	if errors.As(err, &parted) && parted.Copy == nil {
		return fmt.Errorf("the first %d events are the same, then the copy ends and the source goes on; store copy brings the rest: %w", parted.At, err)
	}
	if err != nil {
		return fmt.Errorf("the logs are not the same: %w", err)
	}
	fmt.Fprintf(p.out, "the logs are the same: %d events, sha256 %s\n", d.Events, d.SHA256)
	return nil
}

// progressFile is named for the two logs, so that copies do not get in each
// other's way.
func progressFile(ctx context.Context, dir string, from, to eventLog) (string, error) {
	source, err := from.ID(ctx)
	if err != nil {
		return "", err
	}
	target, err := to.ID(ctx)
	if err != nil {
		return "", err
	}
	if source == target {
		return "", errors.New("--from and --to are the same log")
	}
	return filepath.Join(dir, "store-copy-"+source+"-"+target+".json"), nil
}

func readProgress(file string) (at transfer.Progress, err error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return at, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &at)
	}
	if err != nil {
		return at, fmt.Errorf("read the progress of the copy: %w", err)
	}
	return at, nil
}

// writeProgress replaces the file as a whole: a crash leaves the one before.
func writeProgress(file string, at transfer.Progress) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(at)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

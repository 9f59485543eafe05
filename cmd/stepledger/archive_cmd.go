package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

func (p program) archiveCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "Move what has ended out of the database into files, look after them, and say how much there is",
		Long: `The archive is a folder or object storage (STEPLEDGER_ARCHIVE). The service moves there what has ended for so many days
(STEPLEDGER_ARCHIVE_AFTER_DAYS), and everything reads as before: pages, commands, followers of the log.`,
	}
	cmd.AddCommand(p.archiveRunCmd(), p.archiveStatusCmd(), p.archiveVerifyCmd(), p.archiveSweepCmd())
	return cmd
}

var errNoArchive = domain.Errorf(domain.Invalid, domain.CodeValidation, "there is no archive: set STEPLEDGER_ARCHIVE to a folder or to s3://bucket/prefix")

// withArchive opens the system for a command that needs its archive.
func (p program) withArchive(ctx context.Context, do func(*system) error) error {
	return p.withSystem(ctx, func(s *system) error {
		if !s.archived.on() {
			return errNoArchive
		}
		return do(s)
	})
}

func (p program) archiveRunCmd() *cobra.Command {
	days := 0
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Archive now what has ended long enough ago, as the service does every ten minutes, and say how much it was",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withArchive(cmd.Context(), func(s *system) error {
				if !cmd.Flags().Changed("after-days") {
					days = s.cfg.Archive.AfterDays
				}
				if days < 0 {
					return domain.Errorf(domain.Invalid, domain.CodeValidation, "--after-days: %d is not a number of days from 0", days)
				}
				before := archivedBefore(time.Now(), days)
				done, err := s.archiveBefore(cmd.Context(), before)
				fmt.Fprintf(p.out, "%d streams that ended before %s: %d events moved into %d bytes\n", done.Streams, before.UTC().Format(time.DateTime), done.Events, done.Bytes)
				return err
			})
		},
	}
	cmd.Flags().IntVar(&days, "after-days", 0, "for how many whole days it has to have ended, 0 is at once (default $STEPLEDGER_ARCHIVE_AFTER_DAYS)")
	return cmd
}

// archiveStatus is how much is archived, and how far that has come.
type archiveStatus struct {
	Place    string `json:"place"`
	Streams  int64  `json:"streams"`
	Events   int64  `json:"events"`
	Segments int64  `json:"segments"`
	Bytes    int64  `json:"bytes"`
	// Position is up to where of the log all that has ended is archived, Head its end.
	Position int64 `json:"position"`
	Head     int64 `json:"head"`
	// Followed is up to where all who follow the log have come: no further is archived.
	Followed int64 `json:"followed"`
	// Before is which ends are archived now, Oldest when the first event was recorded that
	// was not looked at; without one there is none.
	Before time.Time  `json:"before"`
	Oldest *time.Time `json:"oldest,omitempty"`
}

func (p program) archiveStatusCmd() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say how much is archived, and what is the oldest that is not",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withArchive(cmd.Context(), func(s *system) error {
				status, err := s.archiveStatus(cmd.Context(), time.Now())
				if err != nil {
					return err
				}
				return looking{p, &asJSON}.print(status, func(w io.Writer) { status.print(w) })
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}

func (s *system) archiveStatus(ctx context.Context, now time.Time) (archiveStatus, error) {
	stats, err := s.archived.log.ArchiveStats(ctx)
	if err != nil {
		return archiveStatus{}, err
	}
	out := archiveStatus{
		Place: s.archived.place.String(), Streams: stats.Streams, Events: stats.Events, Segments: stats.Segments, Bytes: stats.Bytes,
		Before: archivedBefore(now, s.cfg.Archive.AfterDays).UTC(),
	}
	if out.Head, err = s.events.Head(ctx); err != nil {
		return out, err
	}
	if out.Followed, err = s.followedTo(ctx); err != nil {
		return out, err
	}
	if out.Position, err = s.archiveCursor().peek(ctx); err != nil {
		return out, err
	}
	page, err := s.events.ReadAll(ctx, out.Position, 1, eventstore.Filter{})
	if len(page.Events) > 0 {
		at := page.Events[0].RecordedAt.UTC()
		out.Oldest = &at
	}
	return out, err
}

// peek is At for somebody who only looks: who moves the cursor goes on.
func (c *archiveCursor) peek(ctx context.Context) (int64, error) {
	stood, err := c.keeper.At(ctx, archiveConsumer)
	if err != nil {
		return 0, err
	}
	past, err := c.log.Past(ctx, stood.Log)
	return min(stood.Position, past), err
}

func (a archiveStatus) print(w io.Writer) {
	oldest := "none"
	if a.Oldest != nil {
		oldest = a.Oldest.Format(time.DateTime)
	}
	fmt.Fprintf(w, "place\t%s\nstreams\t%d\nevents\t%d\nsegments\t%d\nbytes\t%d\n", a.Place, a.Streams, a.Events, a.Segments, a.Bytes)
	fmt.Fprintf(w, "looked at\tup to %d of %d; all who follow the log are at %d\n", a.Position, a.Head, a.Followed)
	fmt.Fprintf(w, "oldest not looked at\t%s\nit archives what ended before\t%s\n", oldest, a.Before.Format(time.DateTime))
}

func (p program) archiveVerifyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Read every segment of the archive and compare it with the index in the database; the exit code says whether all are right",
		Long:  "Compares the checksum of each segment, and which events of which streams it holds. It reads the whole archive and changes nothing.\n\nExit code: 0 all are right; 1 one is not; 2 it could not look (settings, database).",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wrong := 0
			err := p.withArchive(cmd.Context(), func(s *system) (err error) {
				wrong, err = p.verifyArchive(cmd.Context(), s)
				return err
			})
			switch {
			case err != nil:
				return exitError{exitUnlooked, err}
			case wrong > 0:
				return exitError{exitUnwell, fmt.Errorf("%d segments are not what the index says", wrong)}
			}
			return nil
		},
	}
}

func (p program) verifyArchive(ctx context.Context, s *system) (wrong int, err error) {
	var segments, events, bytes int64
	for segment, err := range s.archived.log.VerifyArchive(ctx, 0) {
		if segment.Object == "" {
			return wrong, err
		}
		segments, events, bytes = segments+1, events+int64(segment.Events), bytes+segment.Bytes
		if err != nil {
			wrong++
			fmt.Fprintf(p.out, "segment %d, %s: %v\n", segment.ID, segment.Object, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return wrong, err
	}
	fmt.Fprintf(p.out, "%d segments with %d events in %d bytes were compared, %d are wrong\n", segments, events, bytes, wrong)
	return wrong, nil
}

func (p program) archiveSweepCmd() *cobra.Command {
	sure := false
	cmd := &cobra.Command{
		Use:   "sweep --yes",
		Short: "Remove objects from the archive that the log does not name: remains of what was cut short, and of what was before a restore",
		Long: `Removes objects of this log that its index does not name and that are older than a day.

A backup of the database from before may still name them: sweep only what no backup needs that will be restored.
A copy of a database must not share its archive: what one has archived since they parted the other does not name. Where
the archive shows that, nothing is removed; a snapshot of a disk that was started has to be told of first (store restored).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !sure {
				return errors.New("a backup of the database from before may still need what is removed; say --yes")
			}
			return p.withArchive(cmd.Context(), func(s *system) error {
				n, bytes, err := s.archived.log.SweepArchive(cmd.Context())
				fmt.Fprintf(p.out, "%d objects with %d bytes were removed\n", n, bytes)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "this is meant")
	return cmd
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore/archive"
	"github.com/stepledger/stepledger/internal/doctor"
)

const archiveCheck = "archived events"

// examineArchive tries the archive's place out, and its newest segment: whether all the
// others are right says archive verify.
func (s *system) examineArchive(ctx context.Context, _ examined) ([]doctor.Finding, error) {
	if s.archived.log == nil {
		return nil, nil
	}
	stats, err := s.archived.log.ArchiveStats(ctx)
	if err != nil {
		return nil, err
	}
	one := func(state doctor.State, do, found string, args ...any) ([]doctor.Finding, error) {
		return []doctor.Finding{finding(archiveCheck, state, do, found, args...)}, nil
	}
	switch {
	case !s.archived.on() && stats.Events > 0:
		return one(doctor.Fail, "set STEPLEDGER_ARCHIVE to where they are", "%d events are in an archive, and STEPLEDGER_ARCHIVE is not set", stats.Events)
	case !s.archived.on():
		return one(doctor.OK, "", "STEPLEDGER_ARCHIVE is not set: everything stays in the database")
	}
	if err := tryPlace(ctx, s.archived.place); err != nil {
		return one(doctor.Fail, "see that it is mounted or answers, and that the service may write to it", "%v", err)
	}
	if err := s.tryNewestSegment(ctx); err != nil {
		return one(doctor.Fail, "stepledger archive verify says which segments are wrong; bring them back from a copy of the archive", "%v", err)
	}
	return one(doctor.OK, "", "%d events in %d segments (%d bytes); it can be written to, and the newest segment is right", stats.Events, stats.Segments, stats.Bytes)
}

// tryPlace writes an object, reads it and removes it.
func tryPlace(ctx context.Context, p archive.Place) error {
	name, content := "doctor-"+domain.NewUUID(), []byte("stepledger doctor was here")
	if err := p.Put(ctx, name, content); err != nil {
		return err
	}
	read, err := p.Get(ctx, name)
	if err == nil && !bytes.Equal(read, content) {
		err = fmt.Errorf("read %s in %s: it is not what was written", name, p)
	}
	return errors.Join(err, p.Remove(ctx, name))
}

func (s *system) tryNewestSegment(ctx context.Context) error {
	var before int64
	if err := s.db.QueryRow(ctx, `select coalesce(max(id), 0) - 1 from log.segments`).Scan(&before); err != nil {
		return err
	}
	for segment, err := range s.archived.log.VerifyArchive(ctx, max(0, before)) {
		if err != nil && segment.Object != "" {
			return fmt.Errorf("segment %s: %w", segment.Object, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

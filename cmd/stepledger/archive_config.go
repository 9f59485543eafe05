package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore/archive"
)

// archiveConfig says where the events of what has ended are kept, and when they go there.
type archiveConfig struct {
	// Address is a folder, or s3://bucket/prefix; empty keeps everything in the database.
	Address string
	// AfterDays is for how many whole days a task has ended before it goes there; 0 is at
	// once.
	AfterDays int
	// Endpoint and Region are those of object storage, and the keys sign requests to it.
	Endpoint, Region     string
	AccessKey, SecretKey account.Secret
}

// archivedAfter is the default of AfterDays: as long as people find an ended task in lists.
const archivedAfter = 90

var errOwnArchive = errors.New("the log is in EventStoreDB or KurrentDB, which has an archive of its own: unset one of the two")

// archive reads the settings. The archive is for a log in Postgres.
func (e *env) archive() archiveConfig {
	c := archiveConfig{
		Address: e.text("STEPLEDGER_ARCHIVE", ""), AfterDays: e.days("STEPLEDGER_ARCHIVE_AFTER_DAYS", archivedAfter),
		Endpoint: e.text("STEPLEDGER_ARCHIVE_ENDPOINT", ""), Region: e.text("STEPLEDGER_ARCHIVE_REGION", ""),
		AccessKey: account.Secret(e.text("STEPLEDGER_ARCHIVE_ACCESS_KEY", "")), SecretKey: account.Secret(e.text("STEPLEDGER_ARCHIVE_SECRET_KEY", "")),
	}
	_, err := c.place()
	if c.Address != "" && e.text("EVENTSTORE_URL", "") != "" {
		err = errors.Join(err, errOwnArchive)
	}
	if err != nil {
		e.faults = append(e.faults, fmt.Errorf("STEPLEDGER_ARCHIVE: %w", err))
	}
	return c
}

// days reads a number of days, which may be 0.
func (e *env) days(name string, def int) int {
	v := e.text(name, "")
	if v == "" {
		return def
	}
	n, err := strconv.ParseUint(v, 10, 16)
	if err != nil {
		e.faults = append(e.faults, fmt.Errorf("%s: %q is not a number of days from 0 to 65535", name, v))
	}
	return int(n)
}

// place is where segments lie, nil without an archive. Nothing is read or written yet.
func (c archiveConfig) place() (archive.Place, error) {
	if c.Address == "" {
		return nil, nil
	}
	return archive.Open(c.Address, archive.Credentials{
		Endpoint: c.Endpoint, Region: c.Region, AccessKey: c.AccessKey.Reveal(), SecretKey: c.SecretKey.Reveal(),
	})
}

// archivedBefore is the moment before which a stream's last event has to be for the stream to be
// archived after so many days: the beginning of a day, so that what ends in a day goes
// together and segments are few.
func archivedBefore(now time.Time, days int) time.Time {
	if days == 0 {
		return now
	}
	const day = 24 * time.Hour
	return now.Add(-time.Duration(days) * day).Truncate(day)
}

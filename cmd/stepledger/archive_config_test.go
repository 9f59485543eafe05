package main

import (
	"strings"
	"testing"
	"time"
)

func TestReadConfig_Archive(t *testing.T) {
	t.Parallel()
	c, err := configFrom(map[string]string{"STEPLEDGER_ARCHIVE": "/var/lib/archive", "STEPLEDGER_ARCHIVE_AFTER_DAYS": "0"})
	if err != nil || c.Archive.AfterDays != 0 {
		t.Errorf("%+v, %v", c.Archive, err)
	}
	if place, err := c.Archive.place(); err != nil || place.String() != "/var/lib/archive" {
		t.Errorf("%v, %v", place, err)
	}
	if c, err := configFrom(nil); err != nil || c.Archive.Address != "" || c.Archive.AfterDays != archivedAfter {
		t.Errorf("without settings: %+v, %v", c.Archive, err)
	}
	for name, settings := range map[string]map[string]string{
		"a path that depends on where it starts": {"STEPLEDGER_ARCHIVE": "archive"},
		"a place that is not known":              {"STEPLEDGER_ARCHIVE": "ftp://u:hunter2@h/x"},
		"no bucket":                              {"STEPLEDGER_ARCHIVE": "s3://"},
		"keys in the address":                    {"STEPLEDGER_ARCHIVE": "s3://u:hunter2@bucket/x"},
		"an endpoint with keys":                  {"STEPLEDGER_ARCHIVE": "s3://bucket", "STEPLEDGER_ARCHIVE_ENDPOINT": "https://u:hunter2@h"},
		"days that are none":                     {"STEPLEDGER_ARCHIVE_AFTER_DAYS": "-1"},
		"a log with an archive of its own":       {"STEPLEDGER_ARCHIVE": "/var/lib/archive", "EVENTSTORE_URL": "esdb://h:2113"},
	} {
		if _, err := configFrom(settings); err == nil || !strings.Contains(err.Error(), "STEPLEDGER_ARCHIVE") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What ends in a day goes together: a moment of it changes nothing.
func TestArchivedBefore(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		days int
		want string
	}{{0, "2026-11-29T12:00:00Z"}, {1, "2026-11-28T00:00:00Z"}, {90, "2026-08-31T00:00:00Z"}} {
		got, later := archivedBefore(noon, tt.days), archivedBefore(noon.Add(time.Hour), tt.days)
		if got.Format(time.RFC3339) != tt.want || tt.days > 0 && !later.Equal(got) {
			t.Errorf("%d days: %v, an hour later %v, want %s", tt.days, got, later, tt.want)
		}
	}
}

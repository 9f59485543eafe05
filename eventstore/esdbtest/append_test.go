package esdbtest_test

import (
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
)

func TestAppendCore(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	r := mustAppend(t, c, "a", esdb.NoStream{}, events("one", "two"))
	if r.NextExpectedVersion != 1 {
		t.Fatal(r)
	}
	got, err := readStream(t, c, "a", esdb.ReadStreamOptions{}, everything)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"one", "two"}, typesOf(got)); d != "" {
		t.Error(d)
	}
	_, err = c.AppendToStream(t.Context(), "a", esdb.AppendToStreamOptions{ExpectedRevision: esdb.NoStream{}}, events("x")...)
	if codeOf(t, err) != esdb.ErrorCodeWrongExpectedVersion {
		t.Error(err)
	}
	all, err := readAll(t, c, esdb.ReadAllOptions{Direction: esdb.Backwards, From: esdb.End{}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"two", "one", "$metadata"}, typesOf(all)); d != "" {
		t.Error(d)
	}
	sub, err := c.SubscribeToAll(t.Context(), esdb.SubscribeToAllOptions{From: esdb.Start{}, Filter: esdb.ExcludeSystemEventsFilter(), CheckpointInterval: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		e := next(t, sub)
		t.Logf("%+v", e)
	}
	mustAppend(t, c, "b", esdb.NoStream{}, events("three"))
	t.Logf("%+v", next(t, sub).EventAppeared.Event.EventType)
	if _, err := c.DeleteStream(t.Context(), "b", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Revision(0)}); err != nil {
		t.Fatal(err)
	}
	if _, err := readStream(t, c, "b", esdb.ReadStreamOptions{}, 10); codeOf(t, err) != esdb.ErrorCodeResourceNotFound {
		t.Fatal(err)
	}
	mustAppend(t, c, "b", esdb.NoStream{}, events("four"))
	got, err = readStream(t, c, "b", esdb.ReadStreamOptions{}, 10)
	if err != nil || len(got) != 1 || got[0].EventNumber != 1 {
		t.Fatal(err, got)
	}
	_ = s
	if _, err := c.TombstoneStream(t.Context(), "b", esdb.TombstoneStreamOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = readStream(t, c, "b", esdb.ReadStreamOptions{}, 10)
	if codeOf(t, err) != esdb.ErrorCodeStreamDeleted {
		t.Fatal(err)
	}
}

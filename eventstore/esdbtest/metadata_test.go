package esdbtest_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

func setMetadata(t *testing.T, c *esdb.Client, stream string, m esdb.StreamMetadata) *esdb.WriteResult {
	t.Helper()
	r, err := c.SetStreamMetadata(t.Context(), stream, esdb.AppendToStreamOptions{ExpectedRevision: esdb.Any{}}, m)
	if err != nil {
		t.Fatalf("metadata of %s: %v", stream, err)
	}
	return r
}

func withCustom(key string, value any) esdb.StreamMetadata {
	var m esdb.StreamMetadata
	m.AddCustomProperty(key, value)
	return m
}

// rawMetadata writes metadata as given.
func rawMetadata(t *testing.T, c *esdb.Client, stream, text string, contentType esdb.ContentType) {
	t.Helper()
	mustAppend(t, c, "$$"+stream, esdb.Any{}, []esdb.EventData{{
		EventID: uuid.New(), EventType: "$metadata", ContentType: contentType, Data: []byte(text),
	}})
}

// clock is a server's clock that a test sets.
type clock struct{ unix atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.unix.Load(), 0).UTC() }

func TestMetadata(t *testing.T) {
	t.Parallel()
	_, c := start(t)
	types := func(t *testing.T, stream string, o esdb.ReadStreamOptions) []string {
		t.Helper()
		got, err := readStream(t, c, stream, o, everything)
		if err != nil {
			t.Fatal(err)
		}
		return typesOf(got)
	}

	for _, test := range []struct {
		name, metadata string
		contentType    esdb.ContentType
		want           []string
	}{
		{"$tb hides what is below it", `{"$tb":2}`, esdb.ContentTypeJson, []string{"c", "d"}},
		{"$maxCount keeps the last", `{"$maxCount":3}`, esdb.ContentTypeJson, []string{"b", "c", "d"}},
		{"the stricter of both holds", `{"$maxCount":3,"$tb":3}`, esdb.ContentTypeJson, []string{"d"}},
		{"zero counts for nothing", `{"$maxCount":0,"$maxAge":0,"$tb":0}`, esdb.ContentTypeJson, []string{"a", "b", "c", "d"}},
		{"what is negative counts for nothing", `{"$maxCount":-1,"$tb":-5}`, esdb.ContentTypeJson, []string{"a", "b", "c", "d"}},
		{"a number that is not whole voids them all", `{"$tb":2,"$maxCount":1.5}`, esdb.ContentTypeJson, []string{"a", "b", "c", "d"}},
		{"what is no object is void", `[1]`, esdb.ContentTypeJson, []string{"a", "b", "c", "d"}},
		{"what is not marked as JSON is void", `{"$tb":2}`, esdb.ContentTypeBinary, []string{"a", "b", "c", "d"}},
		{"all may be hidden", `{"$tb":9}`, esdb.ContentTypeJson, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mustAppend(t, c, test.name, esdb.NoStream{}, events("a", "b", "c", "d"))
			rawMetadata(t, c, test.name, test.metadata, test.contentType)
			if d := cmp.Diff(test.want, types(t, test.name, esdb.ReadStreamOptions{})); d != "" {
				t.Errorf("forwards: %s", d)
			}
			back := types(t, test.name, esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}})
			for i, typ := range test.want {
				if back[len(back)-1-i] != typ {
					t.Fatalf("backwards: %v", back)
				}
			}
		})
	}

	t.Run("the metadata stream is a stream that shows its last event", func(t *testing.T) {
		t.Parallel()
		setMetadata(t, c, "meta", withCustom("n", 1))
		if r := setMetadata(t, c, "meta", withCustom("n", 2)); r.NextExpectedVersion != 1 {
			t.Errorf("revision %d", r.NextExpectedVersion)
		}
		got, err := readStream(t, c, "$$meta", esdb.ReadStreamOptions{}, everything)
		if err != nil || len(got) != 1 || string(got[0].Data) != `{"n":2}` || got[0].EventNumber != 1 || got[0].EventType != "$metadata" {
			t.Error(got, err)
		}
	})
	t.Run("it is written with an expected revision", func(t *testing.T) {
		t.Parallel()
		o := esdb.AppendToStreamOptions{ExpectedRevision: esdb.NoStream{}}
		if _, err := c.SetStreamMetadata(t.Context(), "raced", o, withCustom("n", 1)); err != nil {
			t.Fatal(err)
		}
		_, err := c.SetStreamMetadata(t.Context(), "raced", o, withCustom("n", 2))
		if codeOf(t, err) != esdb.ErrorCodeWrongExpectedVersion {
			t.Error(err)
		}
	})
	t.Run("a stream with metadata alone is not found, but exists", func(t *testing.T) {
		t.Parallel()
		setMetadata(t, c, "alone", withCustom("n", 1))
		if _, err := readStream(t, c, "alone", esdb.ReadStreamOptions{}, 1); codeOf(t, err) != esdb.ErrorCodeResourceNotFound {
			t.Error(err)
		}
		mustAppend(t, c, "alone", esdb.StreamExists{}, events("a"))
	})
	t.Run("a metadata stream that never was is not found", func(t *testing.T) {
		t.Parallel()
		_, err := c.GetStreamMetadata(t.Context(), "never", esdb.ReadStreamOptions{})
		if codeOf(t, err) != esdb.ErrorCodeResourceNotFound {
			t.Error(err)
		}
	})
}

func TestMetadata_maxAge(t *testing.T) {
	t.Parallel()
	var now clock
	now.unix.Store(1_000)
	s := esdbtest.Start(t, esdbtest.Options{Now: now.now})
	c := connect(t, s)
	// More than a page of events that will be too old.
	for range 100 {
		mustAppend(t, c, "aged", esdb.Any{}, events("old"))
	}
	for i := range 4 {
		mustAppend(t, c, "aged", esdb.Any{}, events(strconv.Itoa(i)))
		now.unix.Add(10)
	}
	var m esdb.StreamMetadata
	m.SetMaxAge(25 * time.Second)
	setMetadata(t, c, "aged", m)

	read := func() []string {
		got, err := readStream(t, c, "aged", esdb.ReadStreamOptions{}, everything)
		if err != nil {
			t.Fatal(err)
		}
		return typesOf(got)
	}
	if d := cmp.Diff([]string{"2", "3"}, read()); d != "" {
		t.Errorf("now: %s", d)
	}
	now.unix.Add(10)
	if d := cmp.Diff([]string{"3"}, read()); d != "" {
		t.Errorf("ten seconds later: %s", d)
	}
	sub := subscribe(t, c, "aged", esdb.Start{})
	want(t, sub, "3", "caught up")
	now.unix.Add(100)
	if d := cmp.Diff([]string{}, read()); d != "" {
		t.Errorf("much later: %s", d)
	}
	now.unix.Add(-100)
	got, err := readStream(t, c, "aged", esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}}, 1)
	if err != nil || !got[0].CreatedDate.Equal(time.Unix(1_030, 0)) {
		t.Error(got, err)
	}
}

package esdbtest_test

import (
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// everything is a count no read reaches.
const everything = math.MaxInt64

// connect gives a client of a server, closed at the end of the test.
func connect(t *testing.T, s *esdbtest.Server) *esdb.Client {
	t.Helper()
	return dial(t, s.URL())
}

func dial(t *testing.T, url string) *esdb.Client {
	t.Helper()
	configuration, err := esdb.ParseConnectionString(url)
	if err != nil {
		t.Fatal(err)
	}
	configuration.Logger = func(esdb.LogLevel, string, ...any) {}
	client, err := esdb.NewClient(configuration)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func start(t *testing.T) (*esdbtest.Server, *esdb.Client) {
	t.Helper()
	s := esdbtest.Start(t, esdbtest.Options{})
	return s, connect(t, s)
}

// events of a type each, with their type as data.
func events(types ...string) []esdb.EventData {
	var list []esdb.EventData
	for _, typ := range types {
		list = append(list, esdb.EventData{
			EventID: uuid.New(), EventType: typ, ContentType: esdb.ContentTypeJson,
			Data: []byte(`{"is":"` + typ + `"}`), Metadata: []byte(`{"by":"test"}`),
		})
	}
	return list
}

func mustAppend(t *testing.T, c *esdb.Client, stream string, expected esdb.ExpectedRevision, list []esdb.EventData) *esdb.WriteResult {
	t.Helper()
	r, err := c.AppendToStream(t.Context(), stream, esdb.AppendToStreamOptions{ExpectedRevision: expected}, list...)
	if err != nil {
		t.Fatalf("append to %s: %v", stream, err)
	}
	return r
}

// codeOf is the client's code of an error.
func codeOf(t *testing.T, err error) esdb.ErrorCode {
	t.Helper()
	var e *esdb.Error
	if !errors.As(err, &e) {
		t.Fatalf("not an error of the client: %v", err)
	}
	return e.Code()
}

func collect(r *esdb.ReadStream) ([]*esdb.RecordedEvent, error) {
	defer r.Close()
	var list []*esdb.RecordedEvent
	for {
		e, err := r.Recv()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, e.Event)
	}
}

func readStream(t *testing.T, c *esdb.Client, stream string, o esdb.ReadStreamOptions, count uint64) ([]*esdb.RecordedEvent, error) {
	t.Helper()
	r, err := c.ReadStream(t.Context(), stream, o, count)
	if err != nil {
		return nil, err
	}
	return collect(r)
}

func readAll(t *testing.T, c *esdb.Client, o esdb.ReadAllOptions, count uint64) ([]*esdb.RecordedEvent, error) {
	t.Helper()
	r, err := c.ReadAll(t.Context(), o, count)
	if err != nil {
		return nil, err
	}
	return collect(r)
}

// next gives what a subscription brings, within the time of patience.
func next(t *testing.T, sub *esdb.Subscription) *esdb.SubscriptionEvent {
	t.Helper()
	got := make(chan *esdb.SubscriptionEvent, 1)
	go func() { got <- sub.Recv() }()
	select {
	case e := <-got:
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("the subscription brings nothing")
		return nil
	}
}

func typesOf(list []*esdb.RecordedEvent) []string {
	types := []string{}
	for _, e := range list {
		types = append(types, e.EventType)
	}
	return types
}

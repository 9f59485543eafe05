package publish_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/internal/publish"
)

// patience bounds every wait of these tests.
const patience = 30 * time.Second

// seen is what another system gets of an event.
type seen struct {
	id, key, data string
	headers       map[string]string
}

func event(stream string, revision, position int64) eventstore.Recorded {
	return eventstore.Recorded{
		ID: fmt.Sprintf("4f3c2b1a-0000-4000-8000-%012d", position), Stream: stream, Type: "task.task_failed.v1",
		Revision: revision, Position: position, RecordedAt: time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC),
		Data: []byte(`{"code":"X","_":"c2VhbGVk"}`),
		Meta: eventstore.Metadata{Tenant: "acme", Actor: "jo", Correlation: "1", Causation: "a key\r\nof 100% a client", Schema: 1}.Encode(),
	}
}

// headers are those of an event, under a prefix.
func headers(e eventstore.Recorded, prefix, contentType, causation string) map[string]string {
	return map[string]string{
		prefix + "id": e.ID, prefix + "specversion": "1.0", prefix + "source": "/stepledger", contentType: "application/json",
		prefix + "type": e.Type, prefix + "subject": e.Stream, prefix + "time": "2026-11-28T09:30:00Z",
		prefix + "revision": strconv.FormatInt(e.Revision, 10), prefix + "position": strconv.FormatInt(e.Position, 10), prefix + "schema": "1",
		prefix + "tenant": "acme", prefix + "actor": "jo", prefix + "correlation": "1", prefix + "causation": causation,
	}
}

// story is a few events of two streams.
func story() []eventstore.Recorded {
	var out []eventstore.Recorded
	for i := range int64(12) {
		out = append(out, event(fmt.Sprintf("task-%d", i%2), i/2, i+1))
	}
	return out
}

func open(t *testing.T, url string) *publish.Target {
	t.Helper()
	target, err := publish.Open(account.Secret(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	return target
}

func send(t *testing.T, to *publish.Target, e eventstore.Recorded) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m := feed.Message(e)
	m.SetContext(ctx)
	return to.Publish(to.Topic, m)
}

// mustSend sends as a forward does: until the broker takes it.
func mustSend(t *testing.T, to *publish.Target, e eventstore.Recorded) {
	t.Helper()
	deadline := time.After(patience)
	for {
		err := send(t, to, e)
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// wantSeen wants the events in order within each stream, each at least once, and
// as they are.
func wantSeen(t *testing.T, got []seen, want []eventstore.Recorded, prefix, contentType, causation string) {
	t.Helper()
	at := map[string]int{}
	var streams = map[string][]eventstore.Recorded{}
	for _, e := range want {
		streams[e.Stream] = append(streams[e.Stream], e)
	}
	for _, s := range got {
		stream := s.headers[prefix+"subject"]
		events, i := streams[stream], at[stream]
		if i > 0 && events[i-1].ID == s.id {
			continue // again
		}
		if i == len(events) || events[i].ID != s.id {
			t.Fatalf("%s: event %s came out of order", stream, s.id)
		}
		if diff := cmp.Diff(headers(events[i], prefix, contentType, causation), s.headers); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
		if s.data != string(events[i].Data) || s.key != "" && s.key != stream {
			t.Errorf("data %s, key %q", s.data, s.key)
		}
		at[stream]++
	}
	for stream, events := range streams {
		if at[stream] != len(events) {
			t.Errorf("%s: %d of %d events came", stream, at[stream], len(events))
		}
	}
}

func TestOpen_RefusesWithoutQuoting(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "hunter2", "amqp://u:hunter2@h", "kafka://", "kafka://u:hunter2@", "kafka://u:hunter2@h:1:2", "kafka://u:hunter2@h,,",
		"kafka://u:hunter2@h?password=hunter2", "kafka://u:%zzhunter2@h", "nats://u:hunter2@h?topic=a.b", "nats://u:hunter2@h?topic=",
		"kafka://u:hunter2@h?%zz=hunter2", "kafka://h?topic=drop%20table%20hunter2", "postgres://u:hunter2@h/db?topic=a;b",
	} {
		_, err := publish.Open(account.Secret(url))
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestOpen_AcceptsAndConnectsToNothing(t *testing.T) {
	t.Parallel()
	for url, topic := range map[string]string{
		"kafka://a,b:9093,[::1]:9092/?topic=acme.tasks&tls=true": "acme.tasks",
		"kafka://u:p%40ss@127.0.0.1:1":                           "stepledger",
		"nats://127.0.0.1:1,127.0.0.1?topic=tasks":               "tasks",
		"postgres://u:p@127.0.0.1:1/db?sslmode=disable":          "stepledger",
		"postgresql://u:p@127.0.0.1:1/db?topic=tasks":            "tasks",
	} {
		target, err := publish.Open(account.Secret(url))
		if err != nil || target.Topic != topic {
			t.Errorf("%s: %+v, %v", url, target, err)
			continue
		}
		if err := target.Close(); err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if err := send(t, target, event("task-1", 0, 1)); err == nil {
			t.Errorf("%s: published after it was closed", url)
		}
	}
}

func TestPublish_ABrokerThatIsAway(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"kafka://jo:hunter2@127.0.0.1:1", "nats://jo:hunter2@127.0.0.1:1", "postgres://jo:hunter2@127.0.0.1:1/db",
	} {
		target := open(t, url)
		for range 2 {
			err := send(t, target, event("task-1", 0, 1))
			if err == nil || errors.Is(err, context.DeadlineExceeded) || strings.Contains(fmt.Sprintf("%+v", err), "hunter2") {
				t.Errorf("%s: %v", url, err)
			}
		}
	}
}

package publish_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill-sql/v4/pkg/sql"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/internal/pgtest"
)

// The other system follows with Watermill's own subscriber.
func TestPostgres(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "publish", nil)
	to := open(t, url+"&topic=acme.tasks")
	all := story()
	for _, e := range all {
		if err := send(t, to, e); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	subscriber, err := sql.NewSubscriber(sql.BeginnerFromPgx(pool), sql.SubscriberConfig{
		SchemaAdapter: sql.DefaultPostgreSQLSchema{}, OffsetsAdapter: sql.DefaultPostgreSQLOffsetsAdapter{}, InitializeSchema: true,
	}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	messages, err := subscriber.Subscribe(ctx, "acme.tasks")
	if err != nil {
		t.Fatal(err)
	}
	var got []seen
	for len(got) < len(all) {
		m, ok := <-messages
		if !ok {
			t.Fatalf("%d of %d events came", len(got), len(all))
		}
		if !json.Valid(m.Payload) {
			t.Errorf("payload %s", m.Payload)
		}
		got = append(got, seen{id: m.UUID, data: string(m.Payload), headers: m.Metadata})
		m.Ack()
	}
	if err := subscriber.Close(); err != nil {
		t.Error(err)
	}
	wantSeen(t, got, all, "ce_", "content-type", "a key\r\nof 100% a client")
}

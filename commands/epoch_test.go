package commands_test

import (
	"context"
	"testing"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// named is a log under a name that another one had.
type named struct {
	eventstore.Log
	name string
}

func (n named) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	slice, err := n.Log.ReadStream(ctx, stream, o)
	slice.Log = n.name
	return slice, err
}

// A version of a log that was put back is of a future that is lost: the stream is folded
// anew, also where the log does not say that it was put back.
func TestLoad_AVersionOfALostFuture(t *testing.T) {
	t.Parallel()
	former, restored := memory.New(memory.Options{}), memory.New(memory.Options{})
	for _, log := range []eventstore.Log{former, restored} {
		open(t, log)
	}
	archive := commands.ArchiveSession{Log: former, IDs: domain.NewUUID}
	if _, err := archive.ArchiveSession(t.Context(), "acme", "jo", sessionID); err != nil {
		t.Fatal(err)
	}
	load := func(log eventstore.Log, from commands.Version[session.State]) commands.Version[session.State] {
		t.Helper()
		v, err := commands.Sessions.Load(t.Context(), log, session.Stream(sessionID), nil, from)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	future := load(former, commands.Sessions.Start())
	want := load(restored, commands.Sessions.Start())
	if future.Revision <= want.Revision {
		t.Fatalf("the future is at %d, the past at %d", future.Revision, want.Revision)
	}
	for name, log := range map[string]eventstore.Log{"another epoch": restored, "the same epoch": named{restored, future.Log}} {
		if v := load(log, future); v.Revision != want.Revision || v.State != want.State {
			t.Errorf("%s: %+v, want %+v", name, v, want)
		}
	}
	if v := load(former, future); v != future {
		t.Errorf("in its own log: %+v, want %+v", v, future)
	}
}

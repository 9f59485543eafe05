package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/erasure"
)

// outOfReach is what a store says that this package does not know.
type outOfReach struct{ error }

func (outOfReach) Unavailable() bool { return true }

type erasuresOutOfReach struct{ hungErasures }

func (erasuresOutOfReach) RequestErasure(context.Context, account.Actor, erasure.ErasureRequested) (commands.RecordedErasure, error) {
	return commands.RecordedErasure{}, fmt.Errorf("request an erasure: %w", outOfReach{errors.New("the disk of db-7 is full")})
}

// A store that is out of reach is no fault of the server's: the request may be sent again.
func TestErrors_AStoreOutOfReach(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	a := good(s)["requestErasure"]
	s.Erasures = erasuresOutOfReach{}
	res := send(t, s, a)
	wantFailure(t, res, http.StatusServiceUnavailable, "DATABASE_ERROR", "")
	if res.Header().Get("Retry-After") != "1" {
		t.Errorf("headers %v", res.Header())
	}
}

package main

import (
	"context"
	"encoding/base64"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
)

// Turns go on at two replicas, one on either configuration, while the master key and the
// tenant's key are exchanged: no turn fails, and the former key is not needed afterwards.
func TestKeys_RotateUnderTurns(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	former, err := s.cfg.masterKey()
	if err != nil {
		t.Fatal(err)
	}
	was, is := base64.StdEncoding.EncodeToString(former), base64.StdEncoding.EncodeToString(randomBytes(masterKeyBytes))
	s.stop()
	with := func(own, old string) *server {
		cfg := testConfig(s.url, t.TempDir())
		cfg.MasterKey = account.Secret(own)
		if old != "" {
			cfg.OldMasterKeys = []account.Secret{account.Secret(old)}
		}
		replica := start(t, cfg, hooks{})
		replica.client = client{base: replica.base, token: s.token}
		return replica
	}
	replicas := []*server{with(is, was), with(was, is)}
	tenant := data[api.SessionData](t, replicas[0].get(t, "/api/v1/auth/session")).TenantID
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	turns := make([]int, len(replicas))
	for i, r := range replicas {
		wg.Go(func() {
			for ctx.Err() == nil {
				for p := newPursuit(); !p.ended && ctx.Err() == nil; turns[i]++ {
					if err := p.step(t.Context(), r.client); err != nil {
						t.Errorf("replica %d: %v", i, err)
						return
					}
				}
			}
		})
	}
	env := map[string]string{"STEPLEDGER_MASTER_KEY": is, "STEPLEDGER_MASTER_KEYS_OLD": was}
	for _, args := range [][]string{{"keys", "rotate"}, {"keys", "rotate", "--tenant", tenant}, {"keys", "rotate", "--tenant", tenant}, {"keys", "status"}} {
		out, err := s.toolWith(t, env, args...)
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		t.Log(out)
		if strings.Contains(out, is) || strings.Contains(out, was) {
			t.Error("it prints a key")
		}
	}
	cancel()
	wg.Wait()
	t.Logf("turns of each replica: %d", turns)
	if turns[0] < 2 || turns[1] < 2 {
		t.Errorf("turns %d", turns)
	}
	for _, r := range replicas {
		r.stop()
	}
	alone := with(is, "")
	newPursuit().finish(t, alone.client)
	if _, err := s.toolWith(t, map[string]string{"STEPLEDGER_MASTER_KEY": was}, "keys", "status"); err == nil {
		t.Error("a process with the former key alone was started")
	}
}

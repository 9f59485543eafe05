package api

import (
	"context"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
)

func TestTenantOf(t *testing.T) {
	t.Parallel()
	c := &call{}
	in := context.WithValue(t.Context(), callKey{}, c)
	if tenant, ok := TenantOf(in); tenant != "" || !ok {
		t.Errorf("before its caller is known a request is of %q, %t", tenant, ok)
	}
	c.who = account.Principal{TenantID: "acme"}
	for name, ctx := range map[string]context.Context{"in it": in, "what it leaves to be done": context.WithoutCancel(in)} {
		if tenant, ok := TenantOf(ctx); tenant != "acme" || !ok {
			t.Errorf("%s is of %q, %t", name, tenant, ok)
		}
	}
	if tenant, ok := TenantOf(t.Context()); tenant != "" || ok {
		t.Errorf("without a request: %q, %t", tenant, ok)
	}
}

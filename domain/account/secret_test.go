package account_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
)

func TestSecret_HidesItsText(t *testing.T) {
	t.Parallel()
	const text = "correct horse battery staple"
	s := account.Secret(text)
	inside := struct {
		Password account.Secret
		Nested   map[string]account.Secret
	}{s, map[string]account.Secret{"password": s}}

	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("a login", "secret", s, "inside", inside)
	encoded, err := json.Marshal(inside)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{
		"slog":     log.String(),
		"json":     string(encoded),
		"verbs":    fmt.Sprintf("%s %v %+v %#v %q %x %d", s, s, s, s, s, s, s),
		"a struct": fmt.Sprintf("%v %+v %#v", inside, inside, inside),
	}
	for where, got := range shown {
		if strings.Contains(got, "horse") || strings.Contains(got, fmt.Sprintf("%x", "horse")) {
			t.Errorf("%s shows the secret: %s", where, got)
		}
		if !strings.Contains(got, "***") {
			t.Errorf("%s does not show that something is hidden: %s", where, got)
		}
	}
	if s.Reveal() != text {
		t.Errorf("Reveal() = %q, want the text itself", s.Reveal())
	}
}

func TestPrincipal_LogsIDsOnly(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := account.Principal{TenantID: "t-1", UserID: "u-1", Email: "jas@example.com", Name: "Jas Person", TenantName: "Acme"}
	slog.New(slog.NewTextHandler(&log, nil)).Info("seen", "who", p)
	if got := log.String(); !strings.Contains(got, "who.tenant=t-1") || !strings.Contains(got, "who.user=u-1") {
		t.Errorf("log %q lacks the ids", got)
	}
	for _, personal := range []string{"jas@", "Jas", "Acme"} {
		if strings.Contains(log.String(), personal) {
			t.Errorf("log %q shows %q", log.String(), personal)
		}
	}
}

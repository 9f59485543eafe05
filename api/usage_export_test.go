package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
)

func exported(t *testing.T, w *world, method string) (*http.Response, string, error) {
	t.Helper()
	srv := httptest.NewServer(w.server())
	t.Cleanup(srv.Close)
	req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+"/api/usage/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+tokenA)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

func TestUsageExport_IsSentAsItComes(t *testing.T) {
	t.Parallel()
	res, body, err := exported(t, newWorld(), get)
	if err != nil || res.StatusCode != http.StatusOK || body != "call_id,cost_usd\n1,0.004321\n" {
		t.Errorf("status %d, %q, %v", res.StatusCode, body, err)
	}
	if res.ContentLength >= 0 {
		t.Errorf("it has the length %d, so it was held back", res.ContentLength)
	}
	if got := res.Header.Get("Content-Type"); got != csvType {
		t.Errorf("Content-Type %s", got)
	}
	if res.Header.Get("X-RateLimit-Limit") == "" {
		t.Error("it has no rate limit headers")
	}
}

func TestUsageExport_RefusedBeforeItBegan(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.fail = domain.Errorf(domain.Unavailable, "EXPORTS_BUSY", "others are under way")
	res, body, err := exported(t, w, get)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "EXPORTS_BUSY") {
		t.Errorf("status %d, %s, %v; want an error as of every route", res.StatusCode, body, err)
	}
	if got := res.Header.Get("Content-Disposition"); got != "" {
		t.Errorf("the error is %s", got)
	}
}

// A file that ends early must not look like one that is whole.
func TestUsageExport_BrokenOffIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.brokenOff = errors.New("the database has gone")
	_, body, err := exported(t, w, get)
	if err == nil {
		t.Errorf("%q: nobody can tell that the end is missing", body)
	}
	if strings.Contains(body, "database") {
		t.Errorf("the cause is told: %s", body)
	}
	if !strings.Contains(w.log.String(), "export broken off") || !strings.Contains(w.log.String(), `"endpoint":"/api/usage/export"`) {
		t.Errorf("log: %s", w.log.String())
	}
}

func TestUsageExport_HeadSendsNothing(t *testing.T) {
	t.Parallel()
	res, body, err := exported(t, newWorld(), http.MethodHead)
	if err != nil || res.StatusCode != http.StatusOK || body != "" || res.Header.Get("Content-Type") != csvType {
		t.Errorf("status %d, %q, %v", res.StatusCode, body, err)
	}
}

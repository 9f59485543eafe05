package record

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
)

// ask sends a request to a site and gives the status and the body; a redirect
// is not followed.
func ask(t *testing.T, s *site, method, path, kind, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.origin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Mode", "navigate")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(text) + res.Header.Get("Location"))
}

const form = "application/x-www-form-urlencoded"

func TestSite(t *testing.T) {
	t.Parallel()
	s, err := serve(folder(t, one("c", save, "saved === 1")), verdicts.Case{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	for _, step := range []struct {
		method, path, kind, body string
		status                   int
		want                     string
	}{
		{"GET", "/shop/page.html", "", "", 200, shop},
		{"GET", "/shop/", "", "", 200, shop},
		{"GET", "/shop/nowhere.html", "", "", 404, "<!doctype html><title>404 Not Found</title>"},
		{"GET", "/shop/bill.html", "", "", 410, "<h1>Gone</h1>"},
		{"GET", "/shop/cases.json", "", "", 404, "404 page not found"},
		{"GET", "/shop/" + verdicts.RecordedFile, "", "", 404, "404 page not found"},
		{"POST", "/shop/page.html", form, "town=York&tag=a&tag=b", 200, shop},
		{"POST", "/shop/page.html?code=500", form, "town=Leeds", 500, shop},
		{"GET", "/_/box/form", "", "", 200, `[{"tag":"a, b","town":"York"}]`},
		{"POST", "/_/save/cart", "application/json", `{"n":1}`, 200, `{"ok":true}`},
		{"POST", "/_/save/cart?delay=1", "text/plain", "two", 200, `{"ok":true}`},
		{"POST", "/_/save/cart?code=409", "text/plain", "three", 409, `{"ok":false}`},
		{"POST", "/_/save/cart?to=/shop/list.html", "text/plain", "four", 303, "/shop/list.html"},
		{"GET", "/_/box/cart", "", "", 200, `[{"n":1},"two","four"]`},
		{"GET", "/_/status/503?body=closed", "", "", 503, "closed"},
		{"POST", "/_/status/204", "", "", 204, ""},
		{"GET", "/_/status/9", "", "", 400, "no such status"},
		{"GET", "/_/download/bill.pdf", "", "", 200, "content of bill.pdf"},
		{"GET", "/_/box/download", "", "", 200, `["bill.pdf"]`},
		{"GET", "/_/box/visited", "", "", 200, `["/shop/page.html","/shop/","/shop/nowhere.html","/shop/bill.html"]`},
		{"GET", "/_/box/empty", "", "", 200, `[]`},
	} {
		status, got := ask(t, s, step.method, step.path, step.kind, step.body)
		if status != step.status || !strings.HasPrefix(got, strings.TrimSpace(step.want)) {
			t.Errorf("%s %s: %d %s, want %d %s", step.method, step.path, status, got, step.status, step.want)
		}
	}
}

func TestServe_KnowsItsApps(t *testing.T) {
	t.Parallel()
	if _, err := serve(verdicts.Page{App: "solitaire"}, verdicts.Case{}); err == nil {
		t.Error("an app there is none of was served")
	}
}

func TestSite_Evened(t *testing.T) {
	t.Parallel()
	s := &site{origin: "http://127.0.0.1:4711"}
	got, err := s.evened([]byte(`{"url": "http://127.0.0.1:4711/shop/", "to": "?next=http%3A%2F%2F127.0.0.1%3A4711%2F", "timezone":"Asia/Tokyo","stabilizationTime":1234}` + "\n"))
	want := `{"url":"http://shop.test/shop/","to":"?next=http%3A%2F%2Fshop.test%2F","stabilizationTime":2000}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

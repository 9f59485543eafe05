package web

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const hostileText = `<script>alert(1)</script>`

// shelf answers as the API does for somebody of a role, and notes what is posted.
type shelf struct {
	role   string
	posted []string
	// refuses answers a post, if it is set.
	refuses http.HandlerFunc
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const source = `{"sourceId":"s1","name":"<script>alert(1)</script>","kind":"spider","url":"https://docs.example.com/","domains":["*.example.com"],"status":"reading",
		"documents":{"indexed":3,"refused":1},"chunks":12,"crawl":{"generation":2,"found":9,"visited":5,"outcomes":{"left_out":5},"failed":"robots","startedAt":"2026-01-27T12:00:00Z"},"addedAt":"2026-01-27T12:00:00Z"}`
	answers := map[string]string{
		"/api/v1/auth/session":                          `{"role":"` + s.role + `"}`,
		"/api/knowledge/sources":                        `{"sources":[` + source + `,{"sourceId":"s2","name":"Minutes","kind":"upload","status":"ready","addedAt":"2026-01-27T12:00:00Z"}]}`,
		"/api/knowledge/sources/s1":                     source,
		"/api/knowledge/sources/s1/documents":           `{"documents":[{"documentId":"d1","path":"<script>alert(1)</script>","status":"refused","code":"encrypted","reason":"it is <script>alert(1)</script>","findable":true}],"next":"n&x"}`,
		"/api/knowledge/search":                         `{"hits":[{"title":"Expenses","text":"<script>alert(1)</script>","path":"javascript:alert(1)","score":0.5,"why":["words: <script>alert(1)</script>"],"public":true,"sourceId":"s9"}]}`,
		"/api/knowledge/ingest":                         `{"sourceId":"s2"}`,
		"/api/knowledge/index-link":                     `{"sourceId":"s3"}`,
		"/api/knowledge/seen":                           `{"sourceId":"s4"}`,
		"/api/knowledge/sources/s1/crawl":               `{}`,
		"/api/knowledge/sources/s1/remove":              `{}`,
		"/api/knowledge/sources/s1/documents/d1/remove": `{}`,
	}
	data, ok := answers[r.URL.Path]
	switch {
	case !ok:
		refuses(404, `{"code":"NOT_FOUND","message":"there is no such thing"}`)(w, r)
		return
	case r.Method == http.MethodPost && s.refuses != nil:
		s.refuses(w, r)
		return
	case r.Method == http.MethodPost:
		var body []byte
		if r.Body != nil { // the call is within the process
			var err error
			if body, err = io.ReadAll(r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		s.posted = append(s.posted, r.URL.Path+" "+string(body))
	}
	fmt.Fprintf(w, `{"success":true,"data":%s}`, data)
}

// post sends a form as a browser does.
func post(t *testing.T, api http.Handler, path, media string, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, body)
	r.AddCookie(&http.Cookie{Name: cookie, Value: "the-token"})
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	New(api, slog.New(slog.DiscardHandler), nil).ServeHTTP(w, r)
	return w
}

func TestKnowledge_ShowsTextOfStrangersAsText(t *testing.T) {
	t.Parallel()
	for target, wants := range map[string][]string{
		"/knowledge":                   {"&lt;script&gt;alert(1)", "Minutes", "s-reading", "robots"},
		"/knowledge?q=expenses&url=x":  {"&lt;script&gt;alert(1)", "score 0.5000", "only what is public is searched", "javascript:alert(1)</span>"},
		"/knowledge/s1":                {"&lt;script&gt;alert(1)", "encrypted", "The version before is found.", "5 left out", `href="/knowledge/s1?after=n%26x"`},
		"/knowledge/s1?status=refused": {`<option selected>refused`, `after=n%26x&amp;status=refused`},
	} {
		w := visit(t, (&shelf{role: "admin"}).ServeHTTP, target, nil)
		page := w.Body.String()
		if w.Code != http.StatusOK || strings.Contains(page, hostileText) || strings.Contains(page, "%!") || strings.Contains(page, `href="javascript`) {
			t.Errorf("%s: status %d: %s", target, w.Code, page)
		}
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q: %s", target, want, page)
			}
		}
	}
}

func TestKnowledge_OnlyAdminsAreShownForms(t *testing.T) {
	t.Parallel()
	for role, shown := range map[string]bool{"admin": true, "engineer": false} {
		for _, target := range []string{"/knowledge", "/knowledge/s1"} {
			page := visit(t, (&shelf{role: role}).ServeHTTP, target, nil).Body.String()
			if forms := strings.Contains(page, `method="post" action="/knowledge`); forms != shown {
				t.Errorf("%s as %s: forms %v", target, role, forms)
			}
		}
	}
}

func TestKnowledge_Forms(t *testing.T) {
	t.Parallel()
	const form = "application/x-www-form-urlencoded"
	s := &shelf{role: "admin"}
	for _, tt := range []struct {
		path   string
		fields url.Values
		leads  string
	}{
		{"/knowledge/links", url.Values{"url": {"https://docs.example.com/"}, "strategy": {"spider"}, "maxPages": {"20"}, "maxDepth": {""}, "everyHours": {"a day"}}, "/knowledge/s3"},
		{"/knowledge/links", url.Values{"url": {"https://docs.example.com/"}, "strategy": {"sitemap"}, "everyHours": {"24"}, "domains": {"*.example.com, example.org\nx"}, "language": {"de-AT"}}, "/knowledge/s3"},
		{"/knowledge/links", url.Values{"url": {"https://app.example.com/"}, "strategy": {"seen"}, "name": {"App"}, "maxPages": {"20"}, "domains": {"example.com"}, "language": {"en"}}, "/knowledge/s4"},
		{"/knowledge/s1/crawl", nil, "/knowledge/s1"},
		{"/knowledge/s1/remove", nil, "/knowledge"},
		{"/knowledge/s1/documents/d1/remove", nil, "/knowledge/s1"},
	} {
		if w := post(t, s, tt.path, form, strings.NewReader(tt.fields.Encode())); w.Code != http.StatusSeeOther || w.Header().Get("Location") != tt.leads {
			t.Errorf("%s: status %d to %q: %s", tt.path, w.Code, w.Header().Get("Location"), w.Body)
		}
	}
	want := []string{
		`/api/knowledge/index-link {"everyHours":"a day","maxPages":20,"strategy":"spider","url":"https://docs.example.com/"}`,
		`/api/knowledge/index-link {"domains":["*.example.com","example.org","x"],"everyHours":24,"language":"de-AT","strategy":"sitemap","url":"https://docs.example.com/"}`,
		`/api/knowledge/seen {"domains":["example.com"],"name":"App","url":"https://app.example.com/"}`,
		"/api/knowledge/sources/s1/crawl ", "/api/knowledge/sources/s1/remove ", "/api/knowledge/sources/s1/documents/d1/remove ",
	}
	if diff := cmp.Diff(want, s.posted); diff != "" {
		t.Errorf("posted (-want +got):\n%s", diff)
	}
	s.refuses = refuses(400, `{"code":"VALIDATION_ERROR","message":"url is <b>no</b> address"}`)
	w := post(t, s, "/knowledge/links", form, strings.NewReader("strategy=sitemap&url=x%22y&domains=a%2Cb&language=e%22n"))
	if page := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(page, "url is &lt;b&gt;no&lt;/b&gt; address") || !strings.Contains(page, `value="x&#34;y"`) || !strings.Contains(page, `value="a,b"`) || !strings.Contains(page, `value="e&#34;n"`) || !strings.Contains(page, `value="sitemap" selected`) {
		t.Errorf("status %d: %s", w.Code, page)
	}
	s.refuses = refuses(403, `{"code":"FORBIDDEN","message":"this takes another role than engineer"}`)
	if w := post(t, s, "/knowledge/s1/remove", form, nil); w.Code != http.StatusForbidden {
		t.Errorf("an engineer removes: status %d", w.Code)
	}
}

// form is a form with a file of these bytes, and fields before it.
func form(t *testing.T, fields map[string]string, name string, content []byte) (media string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for field, text := range fields {
		if err := w.WriteField(field, text); err != nil {
			t.Fatal(err)
		}
	}
	file, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), body
}

func TestKnowledge_Upload(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 2, 3, 3 << 10, 3<<10 + 1, 100_000} {
		s := &shelf{role: "admin"}
		content := slices.Repeat([]byte{0, 0xff, '"', '\n', 7, 'x', 9}, size/7+1)[:size]
		media, body := form(t, map[string]string{"sourceId": "s2", "other": "x"}, `../minutes "of" May.txt`, content)
		w := post(t, s, "/knowledge/files", media, body)
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/knowledge/s2" || len(s.posted) != 1 {
			t.Fatalf("%d bytes: status %d, posted %d: %s", size, w.Code, len(s.posted), w.Body)
		}
		var sent map[string]string
		if err := json.Unmarshal([]byte(strings.TrimPrefix(s.posted[0], "/api/knowledge/ingest ")), &sent); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"name": `minutes "of" May.txt`, "sourceId": "s2", "mediaType": "application/octet-stream", "content": base64.StdEncoding.EncodeToString(content)}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("%d bytes (-want +got):\n%s", size, diff)
		}
	}
}

func TestKnowledge_UploadToANewSource(t *testing.T) {
	t.Parallel()
	s := &shelf{role: "admin"}
	page := visit(t, s.ServeHTTP, "/knowledge", nil).Body.String()
	_, page, _ = strings.Cut(page, `action="/knowledge/files"`)
	page, file, _ := strings.Cut(page, `type="file"`)
	for _, field := range uploadFields { // a browser sends fields in their order, and nothing is read after the file
		if !strings.Contains(page, `name="`+field+`"`) || file == "" {
			t.Errorf("the form has no %s before its file", field)
		}
	}
	media, body := form(t, map[string]string{"sourceId": "", "sourceName": " Minutes ", "domains": "*.example.com,  b.example", "language": "de"}, "a.txt", []byte("x"))
	if w := post(t, s, "/knowledge/files", media, body); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	want := []string{`/api/knowledge/ingest {"domains":["*.example.com","b.example"],"language":"de","mediaType":"application/octet-stream","name":"a.txt","sourceName":"Minutes","content":"eA=="}`}
	if diff := cmp.Diff(want, s.posted); diff != "" {
		t.Errorf("posted (-want +got):\n%s", diff)
	}
	for _, field := range []string{"sourceName", "domains", "language"} {
		media, body := form(t, map[string]string{"sourceId": "s2", field: "x"}, "a.txt", []byte("x"))
		if w := post(t, s, "/knowledge/files", media, body); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "are of a new source") || len(s.posted) != 1 {
			t.Errorf("%s of a source that is there: status %d, %v", field, w.Code, s.posted)
		}
	}
}

func TestKnowledge_UploadOfNoFile(t *testing.T) {
	t.Parallel()
	s := &shelf{role: "admin"}
	none, empty := form(t, nil, "", nil)
	media, whole := form(t, nil, "a.txt", []byte("x"))
	broken := strings.NewReader(whole.String()[:60])
	for name, w := range map[string]*httptest.ResponseRecorder{
		"none was chosen": post(t, s, "/knowledge/files", none, empty),
		"no form":         post(t, s, "/knowledge/files", "text/plain", strings.NewReader("x")),
		"half a form":     post(t, s, "/knowledge/files", media, broken),
	} {
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "Choose a file.") || len(s.posted) > 0 {
			t.Errorf("%s: status %d: %s", name, w.Code, w.Body)
		}
	}
	s.refuses = refuses(413, `{"code":"INVALID_REQUEST","message":"a file has at most 20971520 bytes"}`)
	media, whole = form(t, nil, "a.txt", []byte("x"))
	if w := post(t, s, "/knowledge/files", media, whole); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "at most 20971520 bytes") {
		t.Errorf("too large: status %d: %s", w.Code, w.Body)
	}
}

// Nobody reads a file of who may not send one.
func TestKnowledge_UploadIsNotReadFirst(t *testing.T) {
	t.Parallel()
	media, body := form(t, nil, "a.txt", bytes.Repeat([]byte("x"), 1<<20))
	s := &shelf{role: "engineer", refuses: refuses(403, `{"code":"FORBIDDEN","message":"this takes another role"}`)}
	if w := post(t, s, "/knowledge/files", media, body); w.Code != http.StatusForbidden || body.Len() < 1<<19 {
		t.Errorf("status %d, %d bytes are left", w.Code, body.Len())
	}
}

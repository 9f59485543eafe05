package demoapp

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// visitor is one browser session on a fresh registry.
type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
}

func visit(t *testing.T, o Options) visitor {
	t.Helper()
	srv := httptest.NewServer(New(o))
	t.Cleanup(srv.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return visitor{t: t, base: srv.URL, client: &http.Client{Jar: jar}}
}

func (v visitor) get(path string) (status int, body string) {
	v.t.Helper()
	res, err := v.client.Get(v.base + path)
	return v.read(res, err)
}

func (v visitor) post(path string, fields url.Values) (status int, body string) {
	v.t.Helper()
	res, err := v.client.PostForm(v.base+path, fields)
	return v.read(res, err)
}

func (v visitor) read(res *http.Response, err error) (status int, body string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func has(t *testing.T, body string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(body, w) {
			t.Errorf("%q is missing in:\n%s", w, body)
		}
	}
}

func hasNot(t *testing.T, body string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(body, u) {
			t.Errorf("%q should not be in:\n%s", u, body)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	v := visit(t, Options{})
	status, body := v.get("/")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	has(t, body, `<meta charset="utf-8">`, "Chloé Martin", "Ελένη Παππά", `data-href="/patients/new"`,
		`<a href="/patients/new">Add patient</a>`, `aria-haspopup="menu" aria-expanded="false"`, `<time id="clock">`)

	_, body = v.get("/?q=CHLO%C3%89")
	has(t, body, "Chloé Martin", `<span id="count">1</span>`)
	hasNot(t, body, "Björn Ek")

	_, body = v.get("/?q=nobody+is+called+this")
	has(t, body, "No patient matches this search.")
	hasNot(t, body, `id="nobody" hidden`)
}

func TestBrokenButtonIsThereAndLeadsNowhere(t *testing.T) {
	t.Parallel()
	_, body := visit(t, Options{BrokenButton: true}).get("/")
	has(t, body, `<button type="button" class="primary">New patient</button>`, `<a href="/patients/new">Add patient</a>`)
	hasNot(t, body, "data-href", "disabled")
}

func TestAddPatientShowsTheRowAndTheToastOnce(t *testing.T) {
	t.Parallel()
	v := visit(t, Options{})
	status, body := v.post("/patients", url.Values{
		"name": {" Jas "}, "birthDate": {"1990-05-31"}, "email": {"jas@example.org"},
		"phone": {"+49 (30) 555-0199"}, "gender": {"Other"}, "consent": {"yes"},
	})
	if status != http.StatusOK {
		t.Fatalf("status %d after the redirect", status)
	}
	has(t, body, `<div class="toast" role="status" data-vanish="2500">Patient Jas was added</div>`,
		`<a href="/patients/8">Jas</a>`, "1990-05-31", "jas@example.org")

	_, body = v.get("/")
	has(t, body, `<a href="/patients/8">Jas</a>`)
	hasNot(t, body, "was added")

	_, body = v.get("/patients/8")
	has(t, body, "<h1>Jas</h1>", "&#43;49 (30) 555-0199", "<dt>May be contacted</dt><dd>Yes</dd>")
}

func TestFormSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fields url.Values
		want   string // "" for accepted
	}{
		"a name is enough":                   {url.Values{"name": {"Jas"}}, ""},
		"the name is required":               {url.Values{"name": {"  "}}, "Full name is required"},
		"a name has an end":                  {url.Values{"name": {strings.Repeat("é", 201)}}, "Full name is too long"},
		"an email needs an at":               {url.Values{"name": {"Jas"}, "email": {"jas.example.org"}}, "Enter a valid email address"},
		"an email needs a dotted host":       {url.Values{"name": {"Jas"}, "email": {"jas@example"}}, "Enter a valid email address"},
		"an email is not a display name":     {url.Values{"name": {"Jas"}, "email": {"Jas <jas@example.org>"}}, "Enter a valid email address"},
		"a phone has no letters":             {url.Values{"name": {"Jas"}, "phone": {"call me"}}, "Phone may only contain"},
		"a phone has enough digits":          {url.Values{"name": {"Jas"}, "phone": {"112"}}, "Phone needs between 5 and 15 digits"},
		"a date of birth is a date":          {url.Values{"name": {"Jas"}, "birthDate": {"31.5.1990"}}, "Date of birth must look like"},
		"nobody is born tomorrow":            {url.Values{"name": {"Jas"}, "birthDate": {"2999-01-01"}}, "Date of birth cannot be in the future"},
		"only the offered genders are taken": {url.Values{"name": {"Jas"}, "gender": {"<b>"}}, "Choose one of the options"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := visit(t, Options{})
			status, body := v.post("/patients", tt.fields)
			if tt.want == "" {
				has(t, body, "was added")
				return
			}
			if status != http.StatusUnprocessableEntity {
				t.Errorf("status %d, want 422", status)
			}
			has(t, body, `<p class="error" role="alert">`+tt.want, `aria-invalid="true"`)
			_, list := v.get("/")
			hasNot(t, list, ">Jas<")
		})
	}
}

func TestFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	_, body := visit(t, Options{}).post("/patients", url.Values{
		"name": {"Jas"}, "email": {"jas"}, "gender": {"Male"}, "consent": {"yes"},
	})
	has(t, body, `value="Jas"`, `value="jas"`, `<option selected>Male</option>`, `value="yes" checked`)
}

func TestTypedTextCannotBecomeMarkup(t *testing.T) {
	t.Parallel()
	const evil = `"><script>alert(1)</script>`
	v := visit(t, Options{})
	_, added := v.post("/patients", url.Values{"name": {evil}})
	has(t, added, "&lt;script&gt;")
	hasNot(t, added, "<script>alert")
	_, refused := v.post("/patients", url.Values{"name": {evil}, "email": {evil}})
	has(t, refused, `value="&#34;&gt;`)
	hasNot(t, refused, "<script>alert")
	_, searched := v.get("/?q=" + url.QueryEscape(evil))
	hasNot(t, searched, "<script>alert")
}

func TestArchiveTakesThePatientOffTheList(t *testing.T) {
	t.Parallel()
	v := visit(t, Options{})
	_, body := v.get("/archive")
	has(t, body, "Nobody has been archived.")
	for range 2 { // the second time changes nothing
		_, body = v.post("/patients/1/archive", nil)
		has(t, body, "Patient Amira Haddad was archived", `<span id="count">6</span>`)
	}
	_, body = v.get("/archive")
	has(t, body, "Amira Haddad")
	if status, _ := v.post("/patients/99/archive", nil); status != http.StatusNotFound {
		t.Errorf("archiving nobody answers %d", status)
	}
}

func TestExportHoldsTheList(t *testing.T) {
	t.Parallel()
	_, body := visit(t, Options{}).get("/patients.csv")
	has(t, body, "name,birthDate,email,phone,gender\n", "Björn Ek,1971-11-02,bjorn.ek@example.org")
}

func TestFlakySaysSubmittedAndAnswers500(t *testing.T) {
	t.Parallel()
	v := visit(t, Options{})
	_, form := v.get("/flaky")
	has(t, form, "Submit referral")
	status, body := v.post("/flaky", url.Values{"reason": {"knee"}})
	if status != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", status)
	}
	has(t, body, "Your referral was submitted!")
}

func TestUnknownAddressesAre404(t *testing.T) {
	t.Parallel()
	v := visit(t, Options{})
	for _, path := range []string{"/nowhere", "/patients/0", "/patients/x", "/patients/99"} {
		if status, _ := v.get(path); status != http.StatusNotFound {
			t.Errorf("%s answers %d", path, status)
		}
	}
}

func TestPagesRunNothingOfOthers(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	New(Options{}).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
	has(t, rec.Header().Get("Content-Security-Policy"), "default-src 'self'")
	hasNot(t, rec.Body.String(), "http://", "https://", "onclick", "style=")
}

func TestOversizedFormIsRefused(t *testing.T) {
	t.Parallel()
	status, _ := visit(t, Options{}).post("/patients", url.Values{"name": {strings.Repeat("x", maxBody)}})
	if status != http.StatusBadRequest {
		t.Errorf("status %d, want 400", status)
	}
}

func TestRegistriesAreApart(t *testing.T) {
	t.Parallel()
	a, b := visit(t, Options{}), visit(t, Options{})
	b.client.Jar = a.client.Jar // cookies know no ports
	a.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a.post("/patients", url.Values{"name": {"Jas"}})
	_, body := b.get("/")
	hasNot(t, body, "Jas")
	_, body = a.get("/")
	has(t, body, "Patient Jas was added")
}

func TestConcurrentVisitorsGetTheirOwnNumbers(t *testing.T) {
	t.Parallel()
	r := newRegistry()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			p := r.add(patient{Name: "Jas"})
			if got, found := r.byID(p.ID); !found || got.Name != "Jas" {
				t.Errorf("patient %d: %+v, %v", p.ID, got, found)
			}
		})
	}
	wg.Wait()
	if n := len(r.search("jas", false)); n != 20 {
		t.Errorf("%d patients, want 20", n)
	}
}

func TestToastsDoNotPileUp(t *testing.T) {
	t.Parallel()
	r := newRegistry()
	for range maxToasts + 10 {
		r.leaveToast("added")
	}
	if len(r.toasts) > maxToasts {
		t.Errorf("%d toasts are kept, at most %d may be", len(r.toasts), maxToasts)
	}
}

func TestBirthDateOfToday(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if problem := birthDateProblem("2026-03-01", today); problem != "" {
		t.Errorf("born today: %s", problem)
	}
	if birthDateProblem("2026-03-02", today) == "" {
		t.Error("born tomorrow is accepted")
	}
}

package knowledge_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	of "github.com/stepledger/stepledger/domain/knowledge"
)

const root = "https://docs.acme.com/"

// aSite is one with a page that is gone, one that moved and one that cannot be read.
func (w *world) aSite() {
	w.site = map[string]of.Fetched{
		root:            page("Welcome to the docs.", root+"a", root+"b", root+"gone", root+"moved", root+"locked"),
		root + "a":      page("Refunds take five days.", root, root+"deep"),
		root + "b":      page("Cards are replaced for free."),
		root + "moved":  {Outcome: of.Redirected, Target: root + "c"},
		root + "c":      page("Moved here."),
		root + "locked": page("locked"),
		root + "deep":   page("Too deep."),
	}
}

func (w *world) spider() string {
	w.aSite()
	return w.add(of.SourceAdded{Kind: of.Spider, URL: root, MaxDepth: 1, MaxPages: 20})
}

// statuses are those of the documents, by path.
func (w *world) statuses(source string) map[string]of.Status {
	out := map[string]of.Status{}
	for _, d := range w.state(source).Documents {
		out[strings.TrimPrefix(d.Path, root)] = d.Status
	}
	return out
}

func TestWork_FilesComeToTheirEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Upload})
	w.receive(source, "a.txt", "Leave is 30 days.\n\nAsk Jo.")
	w.receive(source, "scan.pdf", "scan")
	w.receive(source, "locked.pdf", "locked")
	w.work(source)
	want := map[string]of.Status{"a.txt": of.Indexed, "scan.pdf": of.Empty, "locked.pdf": of.Refused}
	if got := w.statuses(source); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	d := w.state(source).Documents[of.DocumentID(source, "a.txt")]
	if text, ended := w.text(source, d.Current.Version); ended != 1 || strings.Join(text, " ") != "Leave is 30 days.\n\nAsk Jo." {
		t.Errorf("ended %d times and says %q", ended, text)
	}
}

func TestReceive_TheSameBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Upload})
	a := w.receive(source, "a.txt", "one")
	if again := w.receive(source, "a.txt", "one"); !again.Unchanged || again.Version != a.Version {
		t.Errorf("the same bytes under the same name: %+v", again)
	}
	b := w.receive(source, "copy.txt", "one")
	if b.Unchanged || b.Document == a.Document {
		t.Errorf("the same bytes under another name: %+v", b)
	}
	w.work(source)
	if _, err := w.manage().RemoveDocument(t.Context(), tenant, "jo", source, a.Document); err != nil {
		t.Fatal(err)
	}
	w.work(source)
	if len(w.blobs) != 1 || w.keys[a.Version] || !w.keys[b.Version] {
		t.Errorf("bytes that another document has are kept, the text is not: %v %v", w.blobs, w.keys)
	}
	if _, err := w.manage().RemoveDocument(t.Context(), tenant, "jo", source, b.Document); err != nil {
		t.Fatal(err)
	}
	w.work(source)
	if len(w.blobs) != 0 {
		t.Errorf("bytes nobody has: %v", w.blobs)
	}
}

func TestReceive_Refusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Upload})
	for name, tt := range map[string]struct {
		f    knowledge.File
		kind domain.Kind
	}{
		"another tenant's source": {knowledge.File{Tenant: "globex", Source: source, Name: "a", Body: []byte("a")}, domain.NotFound},
		"no such source":          {knowledge.File{Tenant: tenant, Source: domain.NewUUID(), Name: "a", Body: []byte("a")}, domain.NotFound},
		"no name":                 {knowledge.File{Tenant: tenant, Source: source, Body: []byte("a")}, domain.Invalid},
		"no bytes":                {knowledge.File{Tenant: tenant, Source: source, Name: "a"}, domain.Invalid},
		"too many bytes":          {knowledge.File{Tenant: tenant, Source: source, Name: "a", Body: make([]byte, of.MaxBytes+1)}, domain.TooLarge},
	} {
		if _, err := w.manage().Receive(t.Context(), tt.f); domain.KindOf(err) != tt.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(w.blobs) > 0 {
		t.Error("something was stored all the same")
	}
}

func TestWork_Crawl(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.spider()
	w.work(source)
	want := map[string]of.Status{"": of.Indexed, "a": of.Indexed, "b": of.Indexed, "c": of.Indexed, "locked": of.Refused}
	if got := w.statuses(source); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	w.site[root+"a"] = page("Refunds take three days.")
	delete(w.site, root+"b")
	w.recrawl(source)
	want = map[string]of.Status{"": of.Indexed, "a": of.Indexed, "b": of.Withdrawn, "c": of.Indexed, "locked": of.Refused}
	if got := w.statuses(source); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after the second crawl: %v", got)
	}
	s := w.state(source)
	if a := s.Documents[of.DocumentID(source, root+"a")]; a.Number != 2 {
		t.Errorf("the page that changed has %d versions", a.Number)
	}
	if home := s.Documents[of.DocumentID(source, root)]; home.Number != 1 {
		t.Errorf("the page that did not has %d versions", home.Number)
	}
	w.site = nil
	w.recrawl(source)
	if got := w.statuses(source); got[""] != of.Withdrawn || got["a"] != of.Withdrawn {
		t.Errorf("of a site that is gone: %v", got)
	}
}

func (w *world) recrawl(source string) {
	w.t.Helper()
	if _, err := w.manage().Recrawl(w.t.Context(), tenant, "jo", source); err != nil {
		w.t.Fatal(err)
	}
	w.work(source)
}

// A site that is down for a while keeps what is known of it.
func TestWork_CrawlOfASiteThatIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.spider()
	w.work(source)
	for url := range w.site {
		w.site[url] = of.Fetched{Outcome: of.Failed, Code: "unreachable"}
	}
	w.recrawl(source)
	s := w.state(source)
	if got := w.statuses(source); got["a"] != of.Indexed || s.Crawl.Running || s.Crawl.Visits[of.Postponed] != of.MaxTries-1 {
		t.Errorf("%v, visits %v", got, s.Crawl.Visits)
	}
}

// Whoever adds an address that cannot be fetched is told why.
func TestWork_CrawlSaysWhyNothingCouldBeFetched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.site[root] = of.Fetched{Outcome: of.LeftOut, Code: "refused_address", Reason: "the address is not public"}
	source := w.add(of.SourceAdded{Kind: of.Single, URL: root})
	w.work(source)
	for _, r := range w.events(of.SourceStream(source)) {
		e, err := of.Codec.Decode(r.Type, r.Data, r.ID, domaintest.Sealer{})
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := e.(of.CrawlFinished); ok && e.Failed != "no page could be fetched: the address is not public" {
			t.Errorf("it says %q", e.Failed)
		}
	}
}

// A site that asks to be left alone for a moment is, and then is crawled whole.
func TestWork_CrawlOfABusySite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.spider()
	w.site[root+"a"] = of.Fetched{Outcome: of.Failed, Code: "busy", RetryAfter: time.Millisecond}
	w.after = func(url string) {
		if url == root+"a" {
			w.site[url] = page("Refunds take five days.")
		}
	}
	w.work(source)
	if s := w.state(source); w.statuses(source)["a"] != of.Indexed || s.Crawl.Visits[of.Postponed]+s.Crawl.Visits[of.Failed] > 0 {
		t.Errorf("%v, visits %v", w.statuses(source), s.Crawl.Visits)
	}
}

// What a sitemap could not say, or there was no room for, is not taken for gone.
func TestWork_SitemapThatSaysOnlyAPart(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*world){
		"a sitemap that cannot be read": func(w *world) { w.partial = true },
		"more pages than there may be": func(w *world) {
			for i := range 5 {
				w.site[fmt.Sprintf("%s0%d", root, i)] = page(fmt.Sprint("New ", i))
			}
		},
	} {
		w := newWorld(t)
		w.site = map[string]of.Fetched{root + "a": page("A"), root + "b": page("B"), root + "c": page("C")}
		source := w.add(of.SourceAdded{Kind: of.Sitemap, URL: root, MaxPages: 3})
		w.work(source)
		delete(w.site, root+"c")
		spoil(w)
		w.recrawl(source)
		if s := w.state(source); w.statuses(source)["c"] != of.Indexed || s.Crawl.Dropped == 0 {
			t.Errorf("%s: %v", name, w.statuses(source))
		}
	}
}

// A piece that no log takes is a refusal, and no reason to try for ever.
func TestWork_WhatNoLogTakes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Upload})
	noise := make([]byte, 2<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // it never fails
	w.receive(source, "a.txt", "title:"+hex.EncodeToString(noise))
	w.receive(source, "b.txt", "Ask Jo.")
	w.work(source)
	if got := w.statuses(source); got["a.txt"] != of.Refused || got["b.txt"] != of.Indexed {
		t.Errorf("%v", got)
	}
}

// A site that stops answering in the middle is not asked for all its pages three times.
func TestWork_CrawlOfASiteThatStopsAnswering(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var links []string
	for i := range 200 {
		links = append(links, fmt.Sprintf("%s%03d", root, i))
		w.site[links[i]] = of.Fetched{Outcome: of.Failed, Code: "timeout"}
	}
	w.site[root] = page("Home", links...)
	source := w.add(of.SourceAdded{Kind: of.Spider, URL: root, MaxDepth: 1, MaxPages: 1000})
	w.work(source)
	if s := w.state(source); len(w.asked) != 1+of.MaxFailing || s.Crawl.Running || s.Documents[of.DocumentID(source, root)].Status != of.Indexed {
		t.Errorf("%d requests, %+v", len(w.asked), s.Crawl.Visits)
	}
}

func TestWork_SitemapAsksWhetherPagesChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.site = map[string]of.Fetched{root: page("Home"), root + "a": page("A")}
	source := w.add(of.SourceAdded{Kind: of.Sitemap, URL: root})
	w.work(source)
	w.asked = nil
	w.recrawl(source)
	for _, f := range w.asked {
		if f.ETag == "" {
			t.Errorf("%s was fetched without asking", f.URL)
		}
	}
	if v := w.state(source).Crawl.Visits; v[of.Unchanged] != 2 || v[of.Received] != 0 {
		t.Errorf("%v", v)
	}
}

func TestWork_PagesUpToALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var links []string
	for i := range 30 {
		url := fmt.Sprintf("%s%02d", root, i)
		links = append(links, url)
		w.site[url] = page("Page " + url)
	}
	w.site[root] = page("Home", links...)
	source := w.add(of.SourceAdded{Kind: of.Spider, URL: root, MaxDepth: 2, MaxPages: 10})
	w.work(source)
	s := w.state(source)
	if len(s.Documents) != 10 {
		t.Errorf("%d documents", len(s.Documents))
	}
	w.recrawl(source)
	if got := w.state(source); len(got.Documents) != 10 || slices.Contains(values(w.statuses(source)), of.Withdrawn) {
		t.Errorf("a crawl that saw only a part withdraws nothing: %v", w.statuses(source))
	}
}

func values(m map[string]of.Status) (out []of.Status) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// A worker that dies anywhere leaves nothing undone and nothing done twice for the next.
func TestWork_DeathAnywhere(t *testing.T) {
	t.Parallel()
	points := map[string]int{}
	for n := 1; ; n++ {
		w := newWorld(t)
		source := w.spider()
		files := w.add(of.SourceAdded{Kind: of.Upload})
		w.receive(files, "a.txt", longText())
		w.receive(files, "scan.pdf", "scan")
		w.passed, w.dieAt = 0, n
		point := w.work(source) + w.work(files)
		if point == "" {
			break
		}
		points[point]++
		w.work(source)
		w.work(files)
		w.ended(source, point)
		w.ended(files, point)
	}
	for _, p := range []string{"fetched", "visited", "reading", "extracted", "part", "texted", "indexed"} {
		if points["knowledge."+p] == 0 {
			t.Errorf("nobody died at %s: %v", p, points)
		}
	}
}

// longText is more than one chunk, and says nothing twice.
func longText() string {
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "Rule %d says what number %d says.\n\n", i, i)
	}
	return b.String()
}

// ended checks that every version came to one end.
func (w *world) ended(source, point string) {
	w.t.Helper()
	s := w.state(source)
	if !s.Next(w.now).None() {
		w.t.Errorf("after a death at %s there is something left to do: %+v", point, s.Next(w.now))
	}
	for _, d := range s.Documents {
		text, ended := w.text(source, d.Newest.Version)
		if ended != 1 {
			w.t.Errorf("after a death at %s %s ended %d times: %s", point, d.Path, ended, d.Status)
		}
		if d.Status == of.Indexed && len(text) != len(slices.Compact(slices.Clone(text))) {
			w.t.Errorf("after a death at %s %s is there twice", point, d.Path)
		}
	}
}

// What is removed is gone wherever whoever destroys it dies.
func TestWork_DeathWhileForgetting(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		w := newWorld(t)
		source := w.spider()
		w.work(source)
		if _, err := w.manage().Remove(t.Context(), tenant, "jo", source); err != nil {
			t.Fatal(err)
		}
		w.passed, w.dieAt = 0, n
		point := w.work(source)
		w.dieAt = -1
		w.work(source)
		for subject, there := range w.keys {
			if there {
				t.Errorf("the key of %s is left after a death at %q", subject, point)
			}
		}
		if len(w.blobs) > 0 {
			t.Errorf("bytes are left after a death at %q", point)
		}
		if point == "" {
			return
		}
	}
}

func TestWork_WorkersAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.spider()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := knowledge.NewWorker(w.deps(), 4).Work(t.Context(), tenant, source); err != nil && !errors.Is(err, knowledge.ErrElsewhere) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.ended(source, "nowhere")
	want := map[string]of.Status{"": of.Indexed, "a": of.Indexed, "b": of.Indexed, "c": of.Indexed, "locked": of.Refused}
	if got := w.statuses(source); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
}

// Whoever finds that another has begun to read what it reads leaves it alone. Two who go on
// would take each other for dead, and the document for what they died of.
func TestWork_OneOfTwoLeavesTheDocumentToTheOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Upload})
	w.receive(source, "a.txt", "a text")
	reads, goOn := make(chan struct{}), make(chan struct{})
	second, first := w.deps(), w.deps()
	second.Hook = func(point string) {
		if point == "knowledge.reading" {
			close(reads)
			<-goOn
		}
	}
	ended := make(chan error, 1)
	first.Hook = func(point string) {
		if point == "knowledge.texted" {
			go func() { ended <- knowledge.NewWorker(second, 4).Work(t.Context(), tenant, source) }()
			<-reads
		}
	}
	if err := knowledge.NewWorker(first, 4).Work(t.Context(), tenant, source); !errors.Is(err, knowledge.ErrElsewhere) {
		t.Errorf("the first: %v", err)
	}
	close(goOn)
	if err := <-ended; err != nil {
		t.Errorf("the second: %v", err)
	}
	for _, d := range w.state(source).Documents {
		if d.Status != of.Indexed || d.Attempt != 2 {
			t.Errorf("it is %s after %d attempts", d.Status, d.Attempt)
		}
	}
}

// What else is added to a source while a document is read takes nothing from the reading.
func TestWork_OthersAddDocumentsMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Upload})
	w.receive(source, "0.txt", "text 0")
	more, deps := 0, w.deps()
	deps.Hook = func(point string) {
		if point == "knowledge.texted" && more < 2*of.MaxDeaths {
			more++
			w.receive(source, fmt.Sprintf("%d.txt", more), fmt.Sprintf("text %d", more))
		}
	}
	if err := knowledge.NewWorker(deps, 4).Work(t.Context(), tenant, source); err != nil {
		t.Fatal(err)
	}
	all := w.state(source).Documents
	for _, d := range all {
		if d.Status != of.Indexed || d.Attempt != 1 {
			t.Errorf("%s is %s after %d attempts", d.Path, d.Status, d.Attempt)
		}
	}
	if len(all) != 1+2*of.MaxDeaths {
		t.Errorf("%d documents", len(all))
	}
}

// A document that kills whoever reads it is given up.
func TestWork_ADocumentThatKills(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Upload})
	w.receive(source, "a.txt", "deadly")
	for range of.MaxDeaths {
		w.passed, w.dieAt = 0, 1
		if w.work(source) == "" {
			t.Fatal("it did not die")
		}
	}
	w.dieAt = -1
	w.work(source)
	if got := w.statuses(source)["a.txt"]; got != of.Refused {
		t.Errorf("it is %s", got)
	}
}

func TestSee(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.add(of.SourceAdded{Kind: of.Seen, URL: root})
	see := func(text, trigger, task string) {
		t.Helper()
		err := w.manage().See(t.Context(), knowledge.Seen{Tenant: tenant, Source: source, URL: root + "orders", HTML: text, Task: task, Turn: 1, Trigger: trigger})
		if err != nil {
			t.Fatal(err)
		}
		w.work(source)
	}
	see("Order 7. Status: Pending", "", "t1")
	see("Order 7. Status: Approved", `click("68")`, "t2")
	s := w.state(source)
	initial := of.DocumentID(source, root+"orders")
	after := of.DocumentID(source, root+"orders\n"+`click("68")`)
	var superseded []of.ChunkRef
	for _, r := range w.events(of.SourceStream(source)) {
		if e, _ := of.Codec.Clear(r.Type, r.Data); e != nil {
			if indexed, ok := e.(of.DocumentIndexed); ok {
				superseded = append(superseded, indexed.Supersedes...)
			}
		}
		if strings.Contains(string(r.Data), "orders") {
			t.Errorf("the address of a page that was seen is in %s", r.Type)
		}
	}
	if want := []of.ChunkRef{{Version: s.Documents[initial].Current.Version}}; !slices.Equal(superseded, want) {
		t.Errorf("superseded are %v", superseded)
	}
	if err := w.manage().ForgetTask(t.Context(), tenant, "operator", source, "t1"); err != nil {
		t.Fatal(err)
	}
	w.work(source)
	s = w.state(source)
	if s.Documents[initial].Status != of.Removed || s.Documents[after].Status != of.Indexed || len(w.blobs) != 1 {
		t.Errorf("after its task was erased: %s, %s, %d pages", s.Documents[initial].Status, s.Documents[after].Status, len(w.blobs))
	}
}

func TestManage_IsolatesTenants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.spider()
	_, crawl := w.manage().Recrawl(t.Context(), "globex", "eve", source)
	_, remove := w.manage().Remove(t.Context(), "globex", "eve", source)
	_, document := w.manage().RemoveDocument(t.Context(), "globex", "eve", source, of.DocumentID(source, root))
	for _, err := range []error{crawl, remove, document} {
		if domain.KindOf(err) != domain.NotFound {
			t.Error(err)
		}
	}
	if err := knowledge.NewWorker(w.deps(), 4).Work(t.Context(), "globex", source); domain.KindOf(err) != domain.NotFound {
		t.Error(errors.Join(err))
	}
}

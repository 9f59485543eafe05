package knowledge_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/domaintest"
	of "github.com/stepledger/stepledger/domain/knowledge"
)

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

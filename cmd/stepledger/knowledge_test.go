package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	of "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/knowledge/crawl/crawltest"
	"github.com/stepledger/stepledger/internal/pgtest"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// library is what a tenant knows, on a running system.
type library struct {
	*server
	t      *testing.T
	tenant string
}

func (s *server) library(t *testing.T) library {
	t.Helper()
	a, err := s.identity.Admit(t.Context(), account.Secret(s.token), account.Account, -1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.identity.SetAllowedDomains(t.Context(), account.Actor{}, a.Principal.TenantID, []string{"app.acme.example"}); err != nil {
		t.Fatal(err)
	}
	return library{s, t, a.Principal.TenantID}
}

func (l library) add(e of.SourceAdded) string {
	l.t.Helper()
	e.Tenant, e.By = l.tenant, "jo"
	a, err := l.knowledge.manage.Add(l.t.Context(), e)
	if err != nil {
		l.t.Fatal(err)
	}
	return a.Source
}

func (l library) receive(source, name, text string) knowledge.Added {
	l.t.Helper()
	a, err := l.knowledge.manage.Receive(l.t.Context(), knowledge.File{Tenant: l.tenant, Source: source, By: "jo", Name: name, Body: []byte(text)})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

// settled waits until there is nothing left to do for a source.
func (l library) settled(source string, within time.Duration) {
	l.t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		v, err := knowledge.Sources.Load(l.t.Context(), l.events, of.SourceStream(source), l.key(source), knowledge.Sources.Start())
		if err != nil {
			l.t.Fatal(err)
		}
		if v.State.Next(time.Now()).None() {
			return
		}
		if time.Now().After(end) {
			for _, d := range v.State.Documents {
				l.t.Logf("document %s: %+v", d.ID, *d)
			}
			l.t.Fatalf("after %s there is still work to do: %+v", within, v.State.Next(time.Now()))
		}
	}
}

// documents are those of a source once nothing is left to do for it, by path.
func (l library) documents(source string, within time.Duration) map[string]knowledgeview.Document {
	l.t.Helper()
	l.settled(source, within)
	if err := l.runner.CatchUp(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	out := map[string]knowledgeview.Document{}
	for _, state := range []string{"", knowledgeview.Withdrawn} {
		l.list(source, knowledgeview.Filter{State: state, Limit: knowledgeview.MaxDocuments}, out)
	}
	return out
}

// list adds the documents a filter chooses.
func (l library) list(source string, f knowledgeview.Filter, to map[string]knowledgeview.Document) {
	l.t.Helper()
	for {
		page, more, err := l.knowledge.pending.Documents(l.t.Context(), l.tenant, source, f)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, d := range page {
			to[d.Path] = d
		}
		if !more {
			return
		}
		last := page[len(page)-1]
		f.After = &knowledgeview.Mark{ReceivedAt: last.ReceivedAt, ID: last.ID}
	}
}

func (l library) key(subject string) domain.Sealer {
	l.t.Helper()
	key, err := l.content.Key(l.t.Context(), l.tenant, subject)
	if err != nil {
		l.t.Fatal(err)
	}
	return key
}

// find asks as a turn on the tenant's site does.
func (l library) find(text string) knowledge.Answer {
	l.t.Helper()
	a, err := l.knowledge.finder.Find(l.t.Context(), knowledge.Wanted{Tenant: l.tenant, URL: "https://app.acme.example/orders", Text: text})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func titles(a knowledge.Answer) (out []string) {
	for _, h := range a.Hits {
		out = append(out, h.Title)
	}
	return out
}

const handbook = "# Handbook\n\n## Refunds\n\nA refund of a gift card takes five days and goes to the card it came from.\n\n## Errors\n\nERR_CONN_RESET means that the line was cut.\n"

func TestKnowledge_FilesAreFoundUntilTheyAreRemoved(t *testing.T) {
	t.Parallel()
	l := newServer(t, hooks{}).library(t)
	source := l.add(of.SourceAdded{Kind: of.Upload, Name: "Files"})
	a := l.receive(source, "handbook.md", handbook)
	l.receive(source, "nothing.txt", " \n ")
	l.receive(source, "broken.pdf", "%PDF-1.4 and no more")
	got := l.documents(source, 2*patience) // the first PDF of a process has its reader compiled, for seconds of a whole core
	for path, want := range map[string]string{"handbook.md": knowledgeview.Indexed, "nothing.txt": knowledgeview.Empty, "broken.pdf": knowledgeview.Refused} {
		if d := got[path]; d.State != want || want != knowledgeview.Indexed && d.Reason == "" {
			t.Errorf("%s is %s: %s", path, d.State, d.Reason)
		}
	}
	if waits := metricValue(t, l.system, "stepledger_knowledge_oldest_waiting_seconds"); waits != 0 {
		t.Errorf("a document waits for %v s", waits)
	}
	if b, err := l.knowledge.pending.Backlog(t.Context()); err != nil || b.Documents[knowledgeview.Indexed] != 1 || b.Documents[knowledgeview.Refused] != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	found := l.find("how do I get my money back for a gift card?")
	if len(found.Hits) == 0 || !found.Own || found.Hits[0].Version != a.Version || !strings.Contains(found.Hits[0].Chunk.Text, "five days") {
		t.Fatalf("%+v", found)
	}
	if typo := l.find("ERR_CONN_RSET"); len(typo.Hits) == 0 {
		t.Error("a mistyped code is not found")
	}
	if _, err := l.knowledge.manage.RemoveDocument(t.Context(), l.tenant, "jo", source, a.Document); err != nil {
		t.Fatal(err)
	}
	if gone := l.find("how do I get my money back for a gift card?"); len(gone.Hits) > 0 {
		t.Errorf("a removed document answers: %v", titles(gone))
	}
}

// A read model that stands still does not bring back what was removed.
func TestKnowledge_ARemovedSourceIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "stepledger", migrate)
	cfg := testConfig(url, t.TempDir())
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	l := s.library(t)
	source := l.add(of.SourceAdded{Kind: of.Upload})
	l.receive(source, "handbook.md", handbook)
	l.documents(source, patience)
	s.stop()
	// Another process answers, and nobody applies events.
	still, err := openSystem(t.Context(), cfg, testLog(cfg.LogLevel), hooks{})
	if err != nil {
		t.Fatal(err)
	}
	defer still.close()
	l.system = still
	if found := l.find("gift card"); len(found.Hits) == 0 {
		t.Fatal("nothing is found before")
	}
	if _, err := still.knowledge.manage.Remove(t.Context(), l.tenant, "jo", source); err != nil {
		t.Fatal(err)
	}
	if found := l.find("gift card"); len(found.Hits) > 0 {
		t.Errorf("a removed source answers: %v", titles(found))
	}
}

func TestKnowledge_WhoseItIsAndWhere(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	l := s.library(t)
	source := l.add(of.SourceAdded{Kind: of.Upload})
	l.receive(source, "handbook.md", handbook)
	l.documents(source, patience)
	other := library{s, t, data[struct{ TenantID string }](t, s.loginAs(t, newUser(t, s.identity, "eve@globex.example")).get(t, "/api/v1/auth/session")).TenantID}
	if err := s.identity.SetAllowedDomains(t.Context(), account.Actor{}, other.tenant, []string{"app.acme.example"}); err != nil {
		t.Fatal(err)
	}
	if found := other.find("gift card"); len(found.Hits) > 0 || found.Own {
		t.Errorf("another tenant finds %v", titles(found))
	}
	elsewhere, err := s.knowledge.finder.Find(t.Context(), knowledge.Wanted{Tenant: l.tenant, URL: "https://other.example/", Text: "gift card"})
	if err != nil || len(elsewhere.Hits) > 0 || elsewhere.Own {
		t.Errorf("on a site that is not the tenant's: %v, %v", titles(elsewhere), err)
	}
	public := library{s, t, of.PublicTenant}
	shared := public.add(of.SourceAdded{Kind: of.Upload})
	public.receive(shared, "law.txt", "A gift card is valid for ten years by law.")
	public.documents(shared, patience)
	elsewhere, err = s.knowledge.finder.Find(t.Context(), knowledge.Wanted{Tenant: other.tenant, URL: "https://other.example/", Text: "gift card"})
	if err != nil || len(elsewhere.Hits) != 1 || elsewhere.Own {
		t.Errorf("what is public is found everywhere: %v, %v", titles(elsewhere), err)
	}
}

// The whole way, from the first address to the last withdrawn page.
func TestKnowledge_CrawlOfAHardSite(t *testing.T) {
	t.Parallel()
	site := crawltest.New(t, crawltest.Options{RetryAfter: time.Second})
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.CrawlAllow, cfg.CrawlPorts, cfg.CrawlPause = []string{"127.0.0.1/32"}, []int{int(site.Port())}, time.Millisecond
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	l := s.library(t)
	source := l.add(of.SourceAdded{Kind: of.Spider, URL: site.URL, MaxDepth: 20, MaxPages: 2000})
	l.isComplete(site, l.documents(source, 10*time.Minute))
	if site.Requests(crawltest.Disallowed) > 0 || site.MostAtOnce() != 1 {
		t.Errorf("a disallowed page was asked for %d times, and %d pages at a time", site.Requests(crawltest.Disallowed), site.MostAtOnce())
	}
	changes := site.Change()
	if _, err := s.knowledge.manage.Recrawl(t.Context(), l.tenant, "jo", source); err != nil {
		t.Fatal(err)
	}
	after := l.documents(source, 10*time.Minute)
	l.isComplete(site, after)
	for _, url := range changes.Gone {
		if d := after[url]; d.State != knowledgeview.Withdrawn {
			t.Errorf("%s is gone and %q", url, d.State)
		}
	}
	for _, url := range changes.Changed {
		if d := after[url]; d.Number != 2 {
			t.Errorf("%s changed and has %d versions", url, d.Number)
		}
	}
}

// isComplete checks that all pages there are links to are found.
func (l library) isComplete(site *crawltest.Site, got map[string]knowledgeview.Document) {
	l.t.Helper()
	missing := 0
	for _, url := range site.Linked() {
		if d := got[strings.TrimSuffix(url, "/")]; d.State != knowledgeview.Indexed && got[url].State != knowledgeview.Indexed {
			missing++
			if missing < 5 {
				l.t.Errorf("%s is %q: %s", url, got[url].State, got[url].Reason)
			}
		}
	}
	if missing > 0 {
		l.t.Errorf("%d of %d pages are missing", missing, len(site.Linked()))
	}
	for path, d := range got {
		if d.State == knowledgeview.Received || d.State == knowledgeview.Reading {
			l.t.Errorf("%s has no end: %s", path, d.State)
		}
	}
}

// crashPointsOfKnowledge are passed while sources are worked on.
var crashPointsOfKnowledge = []string{
	"fetched", "visited", "reading", "extracted", "part", "texted", "indexed", "dropped",
}

// However often whoever works on sources is killed, every document comes to one end.
func TestCrash_KnowledgeComesToItsEnds(t *testing.T) {
	t.Parallel()
	site := crawltest.New(t, crawltest.Options{Pages: 12})
	rig := newCrashRig(t, nil)
	rig.env["STEPLEDGER_CRAWL_ALLOW"], rig.env["STEPLEDGER_CRAWL_PORTS"], rig.env["STEPLEDGER_CRAWL_PAUSE_MS"] = "127.0.0.1/32", strconv.Itoa(int(site.Port())), "1"
	asked, err := openSystem(t.Context(), testConfig(rig.url, rig.env["STEPLEDGER_STATE_DIR"]), testLog(8), hooks{})
	if err != nil {
		t.Fatal(err)
	}
	defer asked.close()
	l := library{&server{system: asked, url: rig.url}, t, rig.tenant}
	files := l.add(of.SourceAdded{Kind: of.Upload})
	var long strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&long, "Rule %d says what number %d says.\n\n", i, i)
	}
	removed := l.add(of.SourceAdded{Kind: of.Upload})
	l.receive(removed, "secret.txt", "Nobody is to know this.")
	pages := l.add(of.SourceAdded{Kind: of.Sitemap, URL: site.URL})
	for n, point := range crashPointsOfKnowledge {
		l.receive(files, fmt.Sprintf("rules%d.txt", n), fmt.Sprintf("Part %d.\n\n%s", n, &long))
		if point == "dropped" {
			if _, err := asked.knowledge.manage.Remove(t.Context(), rig.tenant, "jo", removed); err != nil {
				t.Fatal(err)
			}
		}
		rig.dies(t, "knowledge."+point)
		if n%2 == 1 { // a document that many have died of is given up
			c := rig.start(t, "")
			l.settled(files, 2*patience)
			c.kill()
		}
	}
	c := rig.start(t, "")
	defer c.kill()
	got := l.documents(files, 2*patience)
	if len(got) != len(crashPointsOfKnowledge) {
		t.Errorf("%d files", len(got))
	}
	for path, d := range got {
		if d.State != knowledgeview.Indexed || d.Number != 1 {
			t.Errorf("%s is %s, version %d: %s", path, d.State, d.Number, d.Reason)
		}
	}
	l.endedOnce(files)
	l.documents(pages, 2*patience)
	l.endedOnce(pages)
	l.settled(removed, 2*patience)
	if _, err := l.key(removed).Seal([]byte("x"), nil); err == nil {
		t.Error("the key of a removed source is there")
	}
}

// dies starts a server and waits until it is killed at a point.
func (r *crashRig) dies(t *testing.T, point string) {
	t.Helper()
	c := r.start(t, point+"@1")
	select {
	case <-c.dead:
	case <-time.After(patience):
		t.Errorf("nothing was done up to %s", point)
		c.kill()
	}
}

// endedOnce checks in the log that each version has one end, and in the read model that
// no chunk is there twice.
func (l library) endedOnce(source string) {
	l.t.Helper()
	ends := map[string]int{}
	for from := int64(0); ; {
		slice, err := l.events.ReadStream(l.t.Context(), of.SourceStream(source), readFrom(from))
		if err != nil {
			l.t.Fatal(err)
		}
		for _, r := range slice.Events {
			from = r.Revision + 1
			e, err := of.Codec.Clear(r.Type, r.Data)
			if err != nil {
				l.t.Fatal(err)
			}
			switch e := e.(type) {
			case of.DocumentReceived:
				ends[e.Version] += 0
			case of.DocumentIndexed:
				ends[e.Version]++
			case of.DocumentEmpty:
				ends[e.Version]++
			case of.DocumentRefused:
				ends[e.Version]++
			}
		}
		if !slice.More {
			break
		}
	}
	for version, n := range ends {
		if n != 1 {
			l.t.Errorf("version %s has %d ends", version, n)
		}
	}
	var twice int
	err := l.db.QueryRow(l.t.Context(), `select count(*) from (select document_id, ord from read.chunk where source_id = $1 group by 1, 2 having count(*) > 1) d`, source).Scan(&twice)
	if err != nil || twice > 0 {
		l.t.Errorf("%d chunks are there twice, %v", twice, err)
	}
}
func readFrom(revision int64) eventstore.ReadOptions { return eventstore.ReadOptions{From: revision} }

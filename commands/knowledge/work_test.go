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

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
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
	var once sync.Once
	second, first := w.deps(), w.deps()
	second.Hook = func(point string) {
		if point == "knowledge.reading" {
			once.Do(func() { close(reads) })
			select {
			case <-goOn:
			case <-t.Context().Done():
			}
		}
	}
	ended := make(chan error, 1)
	first.Hook = func(point string) {
		if point == "knowledge.texted" {
			go func() { ended <- knowledge.NewWorker(second, 4).Work(t.Context(), tenant, source) }()
			select {
			case <-reads:
			case <-t.Context().Done():
			}
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

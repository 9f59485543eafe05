package e2e

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// bench is a page that shows whatever is done on it.
func bench(t *testing.T, name string, happens []string, steps ...step) page {
	t.Helper()
	html, err := files.ReadFile("pages/whole/bench.html")
	if err != nil {
		t.Fatal(err)
	}
	return page{name: name, html: string(html), Asks: "Do it on the bench", Does: steps, Happens: happens}
}

// each kind of action, done by a whole task on the bench.
var kinds = map[string]struct {
	steps   []step
	happens []string
}{
	"click":    {[]step{{Do: "click", On: "btn Add row"}}, []string{"Row added"}},
	"setValue": {[]step{{Do: "setValue", On: "inp Name", Text: "Jas"}, {Do: "click", On: "btn Greet"}}, []string{"Hello Jas"}},
	"choose":   {[]step{{Do: "setValue", On: "combobox Colour", Text: "Blue"}}, []string{"Blue chosen"}},
	"type":     {[]step{{Do: "click", On: "inp Name"}, {Do: "type", Text: "Jas"}, {Do: "click", On: "btn Greet"}}, []string{"Hello Jas"}},
	"press":    {[]step{{Do: "setValue", On: "inp Name", Text: "Jas"}, {Do: "press", Text: "Enter"}}, []string{"Hello Jas"}},
	"hover":    {[]step{{Do: "hover", On: "btn Account"}, {Do: "click", On: "link Profile"}}, []string{"Profile opened"}},
	"drag":     {[]step{{Do: "drag", On: "btn Card", To: "btn Done"}}, []string{"Card dropped"}},
	"upload":   {[]step{{Do: "upload", On: "btn Report", Text: "report.txt"}}, []string{"report.txt received"}},
	"scroll":   {[]step{{Do: "scroll", Again: true}, {Do: "click", On: "btn Imprint"}}, []string{"Imprint shown"}},
	"wait":     {[]step{{Do: "click", On: "btn Order"}, {Do: "wait", Text: "1"}, {Do: "click", On: "btn Open parcel"}}, []string{"Parcel opened"}},
	"navigate": {[]step{{Do: "navigate", Text: "{{same}}/?again"}, {Do: "click", On: "btn Add row"}}, []string{"Row added"}},
	"goBack":   {[]step{{Do: "click", On: "link Other page"}, {Do: "goBack"}, {Do: "click", On: "btn Add row"}}, []string{"Row added"}},
	"dialog":   {[]step{{Do: "click", On: "btn Delete row"}, {Do: "click", On: "btn OK"}}, []string{"Row deleted"}},
	"new tab":  {[]step{{Do: "click", On: "link New window"}, {Do: "setValue", On: "inp Card holder", Text: "Jas"}, {Do: "click", On: "btn Pay"}}, []string{"paid by Jas"}},
}

// stage is a server and an extension that is logged in at it.
type stage struct {
	*server
	*chromium
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := newServer(t)
	c := launch(t, extensionDir(t))
	c.keep(t, map[string]any{"settings": settings(s.URL)})
	c.ask(t, map[string]any{"do": "login", "email": s.email, "password": s.password})
	eventually(t, "the login", func() bool { return c.kept(t, "login", nil) })
	return &stage{server: s, chromium: c}
}

// play is a whole task of the stage.
type wholeTask struct {
	*task
	*site
	play *play
	page page
}

func (s *stage) play(t *testing.T, p page) *wholeTask {
	t.Helper()
	st := newSite(t, p)
	id := strings.ReplaceAll(p.name, " ", "-") + "-task"
	w := &wholeTask{site: st, play: s.model.begin(id, st.steps()), page: p}
	w.play.whole = true
	w.task = s.begin(t, st.address(), id+" "+p.Asks)
	return w
}

// done waits for the end, gives the files that are asked for, and judges.
func (w *wholeTask) done(t *testing.T) run {
	t.Helper()
	r := w.followed(t)
	if r.Phase == "question" && slices.Contains(r.Missing, "confirmation") { // the server cannot see that it is done
		w.say(t, map[string]any{"do": "reply", "tabId": w.tab, "text": "yes"}, func(r run, _ bool) bool { return r.Phase != "question" })
		r = w.followed(t)
	}
	if r.Phase != "done" {
		t.Errorf("the task is in phase %s: %s %+v\n%s", r.Phase, r.Message, r.Failure, w.log(t, r))
	}
	w.play.judge(t, w.page.Hidden)
	w.page.judge(t, w.site, func(expression string) json.RawMessage { return w.where(t, expression) })
	return r
}

// report is what is in report.txt.
const report = "Hello world\n"

// followed waits until nothing happens any more without the user.
func (k *task) followed(t *testing.T) run {
	t.Helper()
	for {
		r := k.until(t, "done", "failed", "stopped", "question", "permission", "file", "held")
		if r.Phase != "file" {
			return r
		}
		k.ask(t, map[string]any{"do": "file", "tabId": k.tab, "name": "report.txt", "type": "text/plain", "data": base64.StdEncoding.EncodeToString([]byte(report))})
		eventually(t, "the file's way to the page", func() bool { r, _ := k.record(t); return r.Phase != "file" })
	}
}

// TestServer does whole tasks with the extension at a real server.
func TestServer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	t.Run("login", func(t *testing.T) {
		t.Parallel()
		var all json.RawMessage
		s.evaluate(t, s.panel, "chrome.storage.local.get(null)", &all)
		if strings.Contains(string(all), s.password) {
			t.Errorf("the password is kept: %s", all)
		}
	})
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.play(t, bench(t, name, kind.happens, kind.steps...)).done(t)
		})
	}
	t.Run("question", func(t *testing.T) {
		t.Parallel()
		w := s.play(t, bench(t, "question", []string{"Hello Jas"},
			step{Do: ask, Text: "What is the name?"}, step{Do: "setValue", On: "inp Name", Text: "Jas"}, step{Do: "click", On: "btn Greet"}))
		if r := w.until(t, "question"); !strings.Contains(r.Message, "What is the name?") {
			t.Errorf("the question is %q", r.Message)
		}
		w.ask(t, map[string]any{"do": "reply", "tabId": w.tab, "text": "The name is Jas"})
		eventually(t, "the reply", func() bool { r, _ := w.record(t); return r.Phase != "question" })
		w.done(t)
	})
	t.Run("stop", func(t *testing.T) {
		t.Parallel()
		w := s.play(t, bench(t, "stop", []string{}, slices.Repeat([]step{{Do: "wait", Text: "1"}}, 20)...))
		eventually(t, "a turn", func() bool { r, _ := w.record(t); return r.Turns > 0 })
		w.ask(t, map[string]any{"do": "stop", "tabId": w.tab})
		turns := w.until(t, "stopped").Turns
		time.Sleep(2 * time.Second)
		if r, _ := w.record(t); r.Phase != "stopped" || r.Turns != turns {
			t.Errorf("after its stop the task is in phase %s, turn %d, from %d", r.Phase, r.Turns, turns)
		}
	})
	t.Run("take over", func(t *testing.T) {
		t.Parallel()
		w := s.play(t, bench(t, "take over", []string{"Row added"}, append(slices.Repeat([]step{{Do: "wait", Text: "0.5"}}, 3), step{Do: "click", On: "btn Add row"})...))
		w.play.mortal = true // what was under way then is nobody's
		eventually(t, "a turn", func() bool { r, _ := w.record(t); return r.Turns > 0 })
		w.ask(t, map[string]any{"do": "takeOver", "tabId": w.tab})
		w.until(t, "held")
		time.Sleep(2 * time.Second)
		if r, _ := w.record(t); r.Phase != "held" {
			t.Errorf("a task that is held is in phase %s", r.Phase)
		}
		w.ask(t, map[string]any{"do": "handBack", "tabId": w.tab})
		eventually(t, "the hand back", func() bool { r, _ := w.record(t); return r.Phase != "held" })
		w.done(t)
	})
	for _, mode := range []string{"semantic_v3", "semantic", "skeleton", "hybrid", "full"} {
		t.Run("extraction "+mode, func(t *testing.T) {
			c := launch(t, extensionDir(t))
			own := settings(s.URL)
			own["extraction"] = mode
			c.logIn(t, s.URL, s.token(t))
			c.keep(t, map[string]any{"settings": own})
			w := (&stage{server: s.server, chromium: c}).play(t, bench(t, mode, []string{"Row added", "Hello Jas"},
				step{Do: "click", On: "btn Add row"}, step{Do: "setValue", On: "inp Name", Text: "Jas"}, step{Do: "click", On: "btn Greet"}))
			w.done(t)
			for i, r := range w.play.requests {
				if r.DOMMode != mode {
					t.Errorf("request %d is in mode %q", i+1, r.DOMMode)
				}
			}
		})
	}
}

// A task goes on where it was after the end of the browser's worker, and of the server.
func TestServer_Ends(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	steps := []step{{Do: "setValue", On: "inp Name", Text: "Jas"}, {Do: "wait", Text: "0.5"}, {Do: "wait", Text: "0.5"}, {Do: "click", On: "btn Greet"}, {Do: "click", On: "btn Add row"}}
	begin := func(t *testing.T, name string) *wholeTask {
		w := s.play(t, bench(t, name, []string{"Hello Jas", "Row added"}, steps...))
		eventually(t, "a turn", func() bool { r, _ := w.record(t); return r.Turns > 1 })
		return w
	}
	t.Run("worker", func(t *testing.T) {
		w := begin(t, "worker")
		if err := s.endWorker(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.ask(t, map[string]any{"do": "wake", "tabId": w.tab})
		w.done(t)
	})
	t.Run("server", func(t *testing.T) {
		w := begin(t, "server")
		s.kill()
		time.Sleep(time.Second)
		s.start(t)
		w.done(t)
	})
}

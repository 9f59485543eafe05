package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

// brain stands in for the server's decisions: to each request it answers with the next
// action of a page's table, on the element that the request shows. It holds a client to
// the contract: each key has one body, each action one report.
type brain struct {
	*httptest.Server
	mu    sync.Mutex
	plays map[string]*play
}

func newBrain(t *testing.T) *brain {
	t.Helper()
	b := &brain{plays: map[string]*play{}}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

// play is a task under way.
type play struct {
	id    string
	steps []step
	// mortal: the client's worker is ended meanwhile, so that it may not know what came of
	// an action.
	mortal bool
	// whole: the task is a real server's, which may ask again about what it has asked.
	whole bool

	mu       sync.Mutex
	next     int // the step that is answered next
	tries    int // of it
	answers  map[string]answered
	requests []request
	resent   int
	faults   []string
}

func newPlay(id string, steps []step) *play {
	return &play{id: id, steps: steps, answers: map[string]answered{}}
}

// answered is a request with its answer.
type answered struct{ body, answer []byte }

// request is what is read of one.
type request struct {
	raw                     string
	TaskID, Query, URL, DOM string
	DOMMode                 string
	InteractiveTree         []element
	SemanticNodes           []struct{ ID, Role, Name string }
	SkeletonDOM             string
	LastActionStatus        string
	LastActionError         struct{ Code, Message string }
}

type element struct {
	ID    string `json:"i"`
	Role  string `json:"r"`
	Name  string `json:"n"`
	Value string `json:"v"`
	State string `json:"s"`
}

// begin gives a task its actions. Its query has to have the id in it.
func (b *brain) begin(id string, steps []step) *play {
	p := newPlay(id, steps)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.plays[id] = p
	return p
}

// ServeHTTP implements http.Handler.
func (b *brain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/api/agent/interact" || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"success":false,"code":"NOT_FOUND","message":"there is nothing else here"}`)
		return
	}
	req := request{raw: string(body)}
	if err := json.Unmarshal(body, &req); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	p := b.plays[cmp.Or(strings.TrimPrefix(req.TaskID, "task-"), strings.Fields(req.Query + " -")[0])]
	b.mu.Unlock()
	if p == nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"success":false,"code":"TASK_NOT_FOUND","message":"no task for %q"}`, req.Query)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(p.answer(r.Header.Get("Idempotency-Key"), body, req))
}

// answer answers a request once; the same again gets the same.
func (p *play) answer(key string, body []byte, r request) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.known(key, body); before != nil {
		return before
	}
	p.requests = append(p.requests, r)
	data := map[string]any{"taskId": "task-" + p.id, "sessionId": "session-" + p.id, "thought": "Go on."}
	p.decide(r, data)
	answer, err := json.Marshal(map[string]any{"success": true, "data": data})
	if err != nil {
		p.fault("%v", err)
	}
	p.answers[key] = answered{body, answer}
	return answer
}

// hear keeps a request whose answer is somebody else's.
func (p *play) hear(key string, body []byte, r request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known(key, body) == nil {
		if n := len(p.requests); n > 0 && len(r.shown()) == 0 { // the page is the one the server has
			was := p.requests[n-1]
			r.DOM, r.DOMMode, r.InteractiveTree, r.SemanticNodes, r.SkeletonDOM = was.DOM, was.DOMMode, was.InteractiveTree, was.SemanticNodes, was.SkeletonDOM
		}
		p.requests = append(p.requests, r)
		p.answers[key] = answered{body: body, answer: []byte{}}
	}
}

// think is the answer of a model that is asked what to do on the page shown last.
func (p *play) think() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) == 0 {
		return `{"thought":"Nothing is shown.","action":"fail(\"nothing is shown\")","confidence":0.9}`
	}
	thought := map[string]any{"thought": "I go on.", "confidence": 0.9}
	shown := p.requests[len(p.requests)-1]
	if question := p.question(shown); question != "" {
		thought["action"], thought["question"], thought["missing"] = "", question, []string{"answer"}
	} else if texts := p.act(shown); len(texts) == 1 {
		thought["action"] = texts[0]
	} else {
		thought["action"], thought["actions"] = "", texts
	}
	text, err := json.Marshal(thought)
	if err != nil {
		p.fault("%v", err)
	}
	return string(text)
}

// known is the answer a key has had, nil for none.
func (p *play) known(key string, body []byte) []byte {
	before, known := p.answers[key]
	switch {
	case key == "":
		p.fault("a request without a key")
		return nil
	case !known:
		return nil
	case !bytes.Equal(before.body, body):
		p.fault("the key %s came with another body", key)
	}
	p.resent++
	return before.answer
}

func (p *play) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// tries bounds how often an element is looked for, and an action repeated.
const tries = 12

// decide puts the next action into an answer.
func (p *play) decide(r request, data map[string]any) {
	if question := p.question(r); question != "" {
		data["status"], data["userQuestion"], data["missingInformation"] = "needs_user_input", question, []string{"answer"}
		return
	}
	texts := p.act(r)
	data["status"], data["action"] = "executing", texts[0]
	if end, err := action.Parse(texts[0]); err == nil && end.EndsTask() {
		data["status"] = map[action.Name]string{action.Finish: "completed", action.Fail: "failed"}[end.Name]
	}
	if len(texts) > 1 {
		var chain []map[string]any
		for i, text := range texts {
			chain = append(chain, map[string]any{"action": text, "index": i})
		}
		data["actions"] = chain
	}
}

// question is the next step, if it is one.
func (p *play) question(r request) string {
	if p.next == len(p.steps) || p.steps[p.next].Do != ask {
		return ""
	}
	if p.next > 0 && p.tries == 0 {
		p.check(p.steps[p.next-1], r)
	}
	p.next++
	return p.steps[p.next-1].Text
}

// ask is a step that is a question to the user.
const ask = "ask"

// act gives the next action, or a chain of them.
func (p *play) act(r request) []string {
	if p.next > 0 && p.tries == 0 {
		p.check(p.steps[p.next-1], r)
	}
	if p.next == len(p.steps) {
		return []string{`finish("Done.")`}
	}
	texts, missing := p.print(p.steps[p.next], r)
	switch {
	case missing == "":
		p.next, p.tries = p.next+1, 0
		return texts
	case p.tries < tries && p.next > 0 && p.steps[p.next-1].Again:
		p.tries++
		texts, _ = p.print(p.steps[p.next-1], r)
		return texts
	case p.tries < tries/4: // it may come by itself
		p.tries++
		return []string{"wait(0.2)"}
	}
	p.fault("step %d: there is no %s; there are %s", p.next+1, missing, r.elements())
	return []string{fmt.Sprintf("fail(%q)", "There is no "+missing)}
}

// check holds a report against what had to come of a step.
func (p *play) check(s step, r request) {
	switch {
	case s.Do == ask || r.LastActionStatus == "pending" && (p.mortal || p.left(r)):
	case p.whole && r.LastActionStatus == "" || p.mortal && r.LastActionError.Code == "TAKEN_OVER":
	case s.Refused == "" && r.LastActionStatus != "success":
		p.fault("step %d, %s: %s %s %s", p.next, s, r.LastActionStatus, r.LastActionError.Code, r.LastActionError.Message)
	case s.Refused != "" && r.LastActionError.Code != s.Refused:
		p.fault("step %d, %s: %s %q, want %s", p.next, s, r.LastActionStatus, r.LastActionError.Code, s.Refused)
	}
	for _, text := range s.Shows {
		if !strings.Contains(r.raw, text) {
			p.fault("step %d, %s: the next request does not show %q", p.next, s, text)
		}
	}
	for _, text := range s.Lacks {
		if strings.Contains(r.raw, text) {
			p.fault("step %d, %s: the next request shows %q", p.next, s, text)
		}
	}
}

// left reports a document that was left since the request before: nobody may be there to
// say that the action was done.
func (p *play) left(r request) bool {
	n := len(p.requests)
	return n > 1 && p.requests[n-2].URL != r.URL
}

// String names a step.
func (s step) String() string { return strings.TrimSpace(s.Do + " " + s.On) }

// print gives a step's actions as the server writes them, or says what is missing.
func (p *play) print(s step, r request) (texts []string, missing string) {
	all := s.Chain
	if len(all) == 0 {
		all = []step{s}
	}
	for _, one := range all {
		text, missing := p.printOne(one, r)
		if missing != "" {
			return nil, missing
		}
		texts = append(texts, text)
	}
	return texts, ""
}

func (p *play) printOne(s step, r request) (text, missing string) {
	a := action.Action{Name: action.Name(s.Do), Text: s.Text}
	if a.Name == action.Wait {
		a.Seconds, _ = strconv.ParseFloat(s.Text, 64)
		a.Text = ""
	}
	if s.On != "" {
		if a.Target = r.find(s.On, s.After); a.Target == "" {
			return "", s.On
		}
	}
	if s.To != "" {
		if a.To = r.find(s.To, s.ToAfter); a.To == "" {
			return "", s.To
		}
	}
	return a.String(), ""
}

// find is the id of an element by its role and its name, the first behind a text.
func (r request) find(on, after string) string {
	role, name, _ := strings.Cut(on, " ")
	from := 0
	if after != "" {
		if from = strings.Index(r.DOM, after); from < 0 {
			return ""
		}
	}
	best, at := "", len(r.DOM)
	for _, e := range r.shown() {
		if e.Role != role || e.Name != name {
			continue
		}
		if after == "" {
			return e.ID
		}
		if i := strings.Index(r.DOM[from:], `"`+e.ID+`"`); i >= 0 && i < at {
			best, at = e.ID, i
		}
	}
	return best
}

// shown are the elements of a request, in whatever mode it is.
func (r request) shown() []element {
	if len(r.InteractiveTree) > 0 {
		return r.InteractiveTree
	}
	if len(r.SemanticNodes) > 0 {
		var all []element
		for _, n := range r.SemanticNodes {
			all = append(all, element{ID: n.ID, Role: cmp.Or(short[n.Role], n.Role), Name: n.Name})
		}
		return all
	}
	return written(r.SkeletonDOM + r.DOM)
}

// short are the roles of the shortest mode, as the table names them.
var short = map[string]string{"button": "btn", "textbox": "inp", "searchbox": "inp", "checkbox": "chk", "option": "opt", "menuitem": "menu"}

// tag is a control in HTML with its attributes and the text in it.
var tag = regexp.MustCompile(`<(button|a|input|select|textarea)\b([^>]*)>([^<]*)`)

// attribute is one of them.
var attribute = regexp.MustCompile(`([a-z-]+)="([^"]*)"`)

// written reads controls from HTML, by a label's text before them if nothing else names
// them.
func written(html string) []element {
	var all []element
	end := 0
	for _, at := range tag.FindAllStringSubmatchIndex(html, -1) {
		attributes := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(html[at[4]:at[5]], -1) {
			attributes[a[1]] = a[2]
		}
		before := html[end:at[0]]
		before = strings.TrimSpace(before[strings.LastIndex(before, ">")+1:])
		role := map[string]string{"button": "btn", "a": "link", "input": "inp", "textarea": "inp", "select": "combobox"}[html[at[2]:at[3]]]
		all = append(all, element{
			ID:   cmp.Or(attributes["data-llm-id"], attributes["data-id"], attributes["id"]),
			Role: role, Name: cmp.Or(attributes["aria-label"], strings.TrimSpace(html[at[6]:at[7]]), before, attributes["placeholder"], attributes["name"]),
		})
		end = at[7]
	}
	return all
}

// elements lists what a request shows.
func (r request) elements() string {
	var all []string
	for _, e := range r.shown() {
		all = append(all, strings.TrimSpace(e.Role+" "+e.Name))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// judge reports what the client did wrong, and looks for what must not be in requests.
func (p *play) judge(t *testing.T, hidden []string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		t.Error(f)
	}
	if p.next < len(p.steps) && len(p.faults) == 0 {
		t.Errorf("the task ended before step %d, %s", p.next+1, p.steps[p.next])
	}
	for _, secret := range hidden {
		for i, r := range p.requests {
			if strings.Contains(r.raw, secret) {
				t.Errorf("request %d has the secret %q", i+1, secret)
			}
		}
	}
}

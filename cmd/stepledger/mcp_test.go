package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
)

// mcpClient is a client of a `stepledger mcp` of its own, in this process.
type mcpClient struct {
	*mcp.ClientSession
	ended func() error // waits for the end of the server
}

func (s *server) mcp(t *testing.T, args ...string) mcpClient {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	env := map[string]string{"DATABASE_URL": s.url, "STEPLEDGER_STATE_DIR": s.cfg.StateDir, "LOG_LEVEL": "error"}
	cmd := newRoot(func(name string) string { return env[name] }, out, os.Stderr)
	cmd.SetArgs(append([]string{"mcp"}, args...))
	cmd.SetIn(in)
	ran := make(chan struct{})
	var why error
	go func() {
		defer close(ran)
		why = cmd.ExecuteContext(t.Context())
		out.CloseWithError(io.EOF)
	}()
	ended := func() error { <-ran; return why }
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the context is over
		if err := ended(); err != nil {
			t.Errorf("told to end, the server ended with %v", err)
		}
	})
	return mcpClient{session, ended}
}

// call calls a tool and gives what it said.
func (c mcpClient) call(t *testing.T, name string, args map[string]any) (text string, failed error) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil || len(r.Content) != 1 {
		t.Fatalf("%s %v: %v, %+v", name, args, err, r)
	}
	said, ok := r.Content[0].(*mcp.TextContent)
	switch {
	case !ok:
		t.Fatalf("%s gives a %T", name, r.Content[0])
	case r.IsError:
		return "", errors.New(said.Text)
	}
	return said.Text, nil
}

// asked are the tools, each with the command that prints the same. Of a command that
// prints one object after the other the tool gives the list, under a name or none.
var asked = map[string]struct {
	args    string
	command string
	list    string
}{
	"task_list":         {`{"tenant":"{tenant}","status":"completed","limit":1}`, "task list --tenant {tenant} --status completed --limit 1", ""},
	"task_show":         {`{"task":"{taskId}","from":2,"limit":2}`, "task show {taskId} --from 2 --limit 2", ""},
	"task_at":           {`{"task":"{taskId}","at":"3"}`, "task at {taskId} 3", ""},
	"task_diff":         {`{"task":"{taskId}","to":6}`, "task diff {taskId} start 6", ""},
	"task_fields":       {`{"task":"{taskId}","revision":6}`, "task fields {taskId} 6", ""},
	"task_events":       {`{"task":"{taskId}","types":["action_verified","action_generated"],"field":"stepIndex=0"}`, "task events {taskId} --type action_verified,action_generated --field stepIndex=0", "events"},
	"task_graph":        {`{"task":"{taskId}","turn":2}`, "task graph {taskId} --turn 2", ""},
	"task_compare":      {`{"a":"{taskId}","b":"{other}"}`, "task compare {taskId} {other}", ""},
	"task_call":         {`{"task":"{taskId}","call":"{callId}"}`, "task call {taskId} {callId}", ""},
	"task_page_text":    {`{"task":"{taskId}","turn":2}`, "task page {taskId} --turn 2 --text", ""},
	"task_replay":       {`{"task":"{taskId}"}`, "task replay {taskId}", ""},
	"task_bisect":       {`{"condition":"/status = completed","tasks":["{taskId}","{other}"]}`, "task bisect /status~=~completed {taskId} {other}", "."},
	"task_batch":        {`{"tasks":["{taskId}"]}`, "task batch {taskId}", ""},
	"projection_parked": {`{}`, "projection parked", "."},
	"calibration":       {`{"tenant":"{tenant}"}`, "calibration --tenant {tenant}", ""},
}

// A model looks at tasks by tools that say what the commands print; it is told of one
// tenant where it is meant to be; and nothing is different after it.
func TestMCP(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	first, second := newModelPursuit(), newModelPursuit()
	first.finish(t, s.client)
	second.finish(t, s.client)
	eve := s.loginAs(t, newUser(t, s.identity, "eve@globex.example"))
	hers := newModelPursuit()
	hers.finish(t, eve)
	s.resumed(t, data[api.SessionData](t, eve.get(t, "/api/v1/auth/session")).TenantID, "task-"+domain.NewUUID(), `{"turn":"one"}`)
	s.catchUp(t)
	l := looked{
		tenant: data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID, task: first.task, other: second.task,
		call: data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+first.task)).Calls[0].CallID,
	}
	before := s.fingerprint(t)

	all := s.mcp(t)
	t.Run("the tools", func(t *testing.T) { toolsAreDescribed(t, all) })
	for name := range asked {
		t.Run(name, func(t *testing.T) { saysWhatTheCommandPrints(t, s, all, l, name) })
	}
	t.Run("one turn, and the newest state", func(t *testing.T) {
		one, err := all.call(t, "task_show", map[string]any{"task": l.task, "turn": 2})
		sameJSON(t, s.tool(t, "task", "show", l.task, "--turn", "2", "--json"), one, err)
		now, err := all.call(t, "task_at", map[string]any{"task": l.task})
		sameJSON(t, s.tool(t, "task", "at", l.task, "--json"), now, err)
	})
	t.Run("errors are those of the queries", func(t *testing.T) { saysWhatIsWrong(t, all, l) })
	t.Run("a tenant", func(t *testing.T) { tellsOfOneTenant(t, s, all, l, hers.task) })

	if diff := cmp.Diff(before, s.fingerprint(t)); diff != "" {
		t.Errorf("looking changed something (-before +after):\n%s", diff)
	}
	if err := errors.Join(all.Close(), all.ended()); err != nil {
		t.Errorf("the client left, and the server ended with %v", err)
	}
}

func toolsAreDescribed(t *testing.T, c mcpClient) {
	t.Helper()
	r, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
		if !strings.Contains(tool.Description, isData) || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is described as %q, %+v", tool.Name, tool.Description, tool.Annotations)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(asked)), slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if said := c.InitializeResult().Instructions; !strings.Contains(said, isData) {
		t.Errorf("the server says %q", said)
	}
}

func saysWhatTheCommandPrints(t *testing.T, s *server, c mcpClient, l looked, name string) {
	t.Helper()
	a := asked[name]
	var args map[string]any
	if err := json.Unmarshal([]byte(l.fill(a.args)), &args); err != nil {
		t.Fatal(err)
	}
	said, err := c.call(t, name, args)
	command := strings.Fields(l.fill(a.command))
	for i := range command {
		command[i] = strings.ReplaceAll(command[i], "~", " ")
	}
	if name != "projection_parked" { // which prints nothing but JSON
		command = append(command, "--json")
	}
	printed := s.tool(t, command...)
	if a.list != "" {
		printed = listed(t, printed)
	}
	if a.list == "events" {
		var whole struct{ Events json.RawMessage }
		if err := json.Unmarshal([]byte(said), &whole); err != nil {
			t.Fatal(err)
		}
		said = string(whole.Events)
	}
	sameJSON(t, printed, said, err)
}

// listed is a list of the objects that were printed one after the other.
func listed(t *testing.T, printed string) string {
	t.Helper()
	var all []json.RawMessage
	for d := json.NewDecoder(strings.NewReader(printed)); d.More(); {
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		t.Fatal("nothing is printed")
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sameJSON(t *testing.T, want, got string, err error) {
	t.Helper()
	var a, b any
	if err = errors.Join(err, json.Unmarshal([]byte(want), &a)); err == nil {
		err = json.Unmarshal([]byte(got), &b)
	}
	if diff := cmp.Diff(a, b); err != nil || diff != "" || a == nil {
		t.Errorf("%v (-command +tool):\n%s", err, diff)
	}
}

func saysWhatIsWrong(t *testing.T, c mcpClient, l looked) {
	t.Helper()
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"task_show", map[string]any{"task": domain.NewUUID()}, "TASK_NOT_FOUND: there is no such task"},
		{"task_show", map[string]any{"task": "../x"}, "TASK_NOT_FOUND: there is no such task"},
		{"task_show", map[string]any{"task": l.task, "turn": 99}, "the task has no turn 99"},
		{"task_show", map[string]any{"task": l.task, "pointer": "/turns/99"}, "VALIDATION_ERROR: the result has no /turns/99 (pointer)"},
		{"task_call", map[string]any{"task": l.task, "call": domain.NewUUID()}, "the task has no such model call"},
		{"task_bisect", map[string]any{"condition": "status"}, "is no condition"},
		{"task_list", map[string]any{}, "say whose tasks"},
		{"task_list", map[string]any{"tenant": l.tenant, "from": "yesterday"}, "is no time"},
		{"task_list", map[string]any{"tenant": "nobody"}, "there is no tenant nobody"},
		{"task_at", map[string]any{"task": l.task, "at": "soon"}, `VALIDATION_ERROR: "soon" is no revision`},
		{"task_diff", map[string]any{"task": l.task, "from": -4}, "is no revision"},
		{"task_events", map[string]any{"task": l.task, "field": "=x"}, "is not like target/name=Save"},
		{"projection_parked", map[string]any{"projection": "tali"}, "PROJECTION_NOT_FOUND"},
	} {
		if said, err := c.call(t, tt.tool, tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: %v, want %s\n%s", tt.tool, tt.args, err, tt.want, said)
		}
	}
}

// tellsOfOneTenant: a task of another is the same as one that is not there.
func tellsOfOneTenant(t *testing.T, s *server, all mcpClient, l looked, hers string) {
	t.Helper()
	if _, err := all.call(t, "task_show", map[string]any{"task": hers}); err != nil {
		t.Errorf("who may see all is told %v", err)
	}
	c := s.mcp(t, "--tenant", l.tenant)
	for name := range asked {
		args := map[string]any{"task": hers, "turn": 1, "call": l.call}
		switch name {
		case "task_list", "calibration", "projection_parked":
			continue
		case "task_compare":
			args = map[string]any{"a": hers, "b": l.task}
		case "task_batch":
			args = map[string]any{"tasks": []string{l.task, hers}}
		case "task_bisect":
			args = map[string]any{"condition": "/status = completed", "tasks": []string{hers}}
		case "task_call":
			delete(args, "turn")
		case "task_show", "task_graph", "task_events", "task_page_text":
			delete(args, "call")
		default:
			args = map[string]any{"task": hers}
		}
		if said, err := c.call(t, name, args); err == nil || !strings.HasPrefix(err.Error(), "TASK_NOT_FOUND: there is no such task") {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
	if _, err := c.call(t, "task_compare", map[string]any{"a": l.task, "b": hers}); err == nil || !strings.Contains(err.Error(), "there is no such task") {
		t.Errorf("a comparison with another's: %v", err)
	}
	for _, name := range []string{"task_list", "calibration", "task_batch"} {
		if _, err := c.call(t, name, map[string]any{"tenant": "globex.example"}); err == nil || !strings.Contains(err.Error(), "there is no tenant") {
			t.Errorf("%s of another tenant: %v", name, err)
		}
		said, err := c.call(t, name, map[string]any{})
		if err != nil || strings.Contains(said, hers) || name == "task_list" && !strings.Contains(said, l.task) || name == "task_batch" && !strings.Contains(said, `"tasks":2`) {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
	if said, err := c.call(t, "projection_parked", map[string]any{}); err != nil || said != "[]" {
		t.Errorf("of what is put aside: %v %s", err, said)
	}
}

// What is too large is cut, says so, and can be had piece by piece.
func TestMCP_ResultsAreBounded(t *testing.T) {
	t.Parallel()
	type item struct{ N, Text string }
	var items []item
	for i := range 400 {
		items = append(items, item{strconv.Itoa(i), strings.Repeat("é<", 5000)})
	}
	v := map[string]any{"items": items, "a/b": 12345678901234567, "short": "kept"}
	text, err := result(v, whichPart{})
	var cut struct {
		Cut    []string
		Hint   string
		Result struct {
			Items []item
			Short string
		}
	}
	if err := errors.Join(err, json.Unmarshal(text, &cut)); err != nil {
		t.Fatal(err)
	}
	if len(text) > maxResult || len(cut.Cut) == 0 || len(cut.Cut) > maxCuts || cut.Hint == "" || cut.Result.Short != "kept" || !strings.HasSuffix(cut.Cut[0], "of 400 items") {
		t.Errorf("%d bytes, %q, %q", len(text), cut.Cut, cut.Result.Short)
	}
	var whole strings.Builder
	for skip := 0; skip < 10_000; skip += 4000 {
		part, err := result(v, whichPart{"/items/399/Text", skip})
		var piece string
		if err := errors.Join(err, json.Unmarshal(part, &piece)); err != nil {
			t.Fatal(err)
		}
		whole.WriteString(string([]rune(piece)[:min(4000, len([]rune(piece)))]))
	}
	if whole.String() != items[399].Text {
		t.Error("the pieces of a text are not the whole of it")
	}
	if n, err := result(v, whichPart{Pointer: "/a~1b"}); err != nil || string(n) != "12345678901234567" {
		t.Errorf("%s %v", n, err)
	}
	if all, err := result("<a>", whichPart{}); err != nil || string(all) != `"<a>"` {
		t.Errorf("what fits is %s %v", all, err)
	}
}

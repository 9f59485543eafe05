package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api"
)

// fault is a task that failed of one thing, and the way there on the command line.
type fault struct {
	query string
	lines script
	// visits are the turns; the last one may be refused, where nothing is wanted of it.
	visits []sight
	// more are the commands after those that are the same for every fault, and facts what
	// is to be read in what all of them print.
	more  []string
	facts []fact
}

// fact is an object that is printed, by some of its members. A path leads to each; a
// value that begins with ~ is a part of what is there.
type fact map[string]string

const (
	namesakes = `<title>Patients</title><h1>Patients</h1><table><tr><td>Ada Lovelace</td><td><button id=31>Open</button></td></tr>` +
		`<tr><td>Jas Miller</td><td><button id=32>Open</button></td></tr></table>`
	recordPage = `<title>Record</title><h1>%</h1><button id=41>Edit</button>`
	loginPage  = `<title>Log in</title><h1>Log in</h1>%<form aria-label="Log in"><label>Password <input id=52 type=password></label><button id=53>Log in</button></form>`
	password   = "Hunt2zz9"
)

var onRecord = map[string]any{"url": clinicURL + "/patients/1"}

var isNotIt = object(`"reason":"It is the record of Ada Lovelace."`, `"actionSucceeded":false`, `"taskCompleted":false`, `"confidence":0.1`)

func givesUp() line {
	return object(`"reason":"I know no other way."`, `"strategy":"FAIL"`, `"action":""`, `"thought":"I give up."`)
}

// escapes are the turns of a key that leads nowhere, after which the task is given up.
func escapes() []sight {
	return []sight{{page: patients, want: `press("Escape")`}, {page: patients, saw: noFocus, want: "fail("}}
}

func faults() map[string]fault {
	list := func(want string) sight { return sight{page: patients, want: want} }
	form := func(want string) sight {
		return sight{page: filled(patientForm, nameField), saw: onForm, want: want}
	}
	return map[string]fault{
		"the wrong one of two elements of one name": {
			query:  "See to Jas Miller",
			lines:  script{forAction: {acts(`click("31")`, `"nextGoal":{"description":"the record","text":"Jas Miller","required":true}`)}, forVerdict: {isNotIt}, forCorrection: {givesUp()}},
			visits: []sight{{page: namesakes, want: `click("31")`}, {page: filled(recordPage, "Ada Lovelace"), saw: onRecord, want: "fail("}},
			more:   []string{"show {task} --turn {of}", "page {task} --turn {of} --text"},
			facts: []fact{
				{"type": "task.action_generated.v1", "turn": "1", "data/target/name": "Open", "data/target/row": "~Ada Lovelace"},
				{"turn": "1", "target": "31", "text": "~Jas Miller"},
			},
		},
		"a verdict that a rule gave wrongly": {
			query:  shortTask,
			lines:  script{forAction: {acts(`press("F2")`)}, forCorrection: {givesUp()}},
			visits: []sight{list(`press("F2")`), {page: filled(patientForm, nameField), saw: with(noFocus, onForm), want: "fail("}},
			more:   []string{"diff {task} {before} {last}"},
			facts:  []fact{{"type": "task.action_verified.v1", "turn": "2", "data/rule": "client-error", "data/observations": "~URL changed"}, {"path": "/steps/0/attempts/0/verdict", "by/type": "task.action_verified.v1"}},
		},
		"an answer with an element that is not there, which was repaired": {
			query:  shortTask,
			lines:  script{forAction: {acts(`click("999")`), acts(`press("Escape")`)}, forCorrection: {givesUp()}},
			visits: escapes(),
			more:   []string{"show {task} --turn {of}", "call {task} {call}"},
			facts:  []fact{{"call/turn": "1", "call/purpose": "ACTION_GENERATION", "answer/content": "~999"}},
		},
		"a secret field": {
			query:  "Sign Jas in with password '" + password + "'",
			lines:  script{forPlan: {goodPlan}, forAction: {acts(`setValue("52", "{secret 1}")`), acts(`click("53")`)}, forCorrection: {givesUp()}},
			visits: []sight{{page: filled(loginPage, ""), want: `setValue("52"`}, {page: filled(loginPage, ""), want: `click("53")`}, {page: filled(loginPage, "<div role=alert>The password is wrong</div>"), want: "fail("}},
			more:   []string{"events {task} --field target/secret=true"},
			facts:  []fact{{"type": "task.action_generated.v1", "turn": "1", "data/target/secret": "true"}},
		},
		"a correction that repeats": {
			query: shortTask,
			lines: script{forAction: {acts(`press("Escape")`)}, forCorrection: {
				object(`"reason":"It did nothing."`, `"strategy":"ALTERNATIVE_TOOL"`, `"action":"press(\"F2\")"`, `"thought":"I try another key."`),
				object(`"reason":"It did nothing."`, `"strategy":"ALTERNATIVE_TOOL"`, `"action":"press(\"F2\")"`, `"thought":"I try another key."`),
				givesUp(),
			}},
			visits: []sight{list(`press("Escape")`), {page: patients, saw: noFocus, want: `press("F2")`}, {page: patients, saw: noFocus, want: "fail("}},
			more:   []string{"events {task} --type correction_issued", "show {task} --turn {end}", "call {task} {call}"},
			facts:  []fact{{"type": "task.correction_issued.v1", "turn": "2", "data/retryAction": `press("F2")`}, {"call/turn": "3", "call/purpose": "SELF_CORRECTION", "answer/content": `~press(\"F2\")`}},
		},
		"a chain that stopped in the middle": {
			query:  registrationTask,
			lines:  script{forPlan: {goodPlan}, forPlanCheck: {finds(0.9, "")}, forAction: {fillsIn(), acts(`fail("The form is gone")`)}},
			visits: []sight{{page: registration(11, 0), saw: takesChains, want: "setValue("}, {page: registration(11, 2), saw: stoppedAt(2), want: "fail("}},
			facts:  []fact{{"type": "task.chain_partially_failed.v1", "turn": "2", "data/failed": "2", "data/code": "ELEMENT_NOT_FOUND"}},
		},
		"a limit that is too low": {
			query:  shortTask,
			lines:  script{forAction: {acts(`click("14")`), acts(`click("24")`), acts(`click("12")`), acts(`click("24")`)}},
			visits: []sight{list(`click("14")`), form(`click("24")`), list(`click("12")`), form(`click("24")`), {page: patients}},
			more:   []string{"bisect /code~=~MAX_STEPS_EXCEEDED {task}", "diff {task} {before} {last}"},
			facts: []fact{
				{"holds": "true", "event": "task.task_failed.v1", "turn": "5"}, {"path": "/code", "to": "MAX_STEPS_EXCEEDED", "by/type": "task.task_failed.v1"},
			},
		},
		"a plan that was replaced": {
			query: longTask,
			lines: script{
				forPlan: {goodPlan, plans(0.9, "", "Refuse the notice", "Enter the name", "Save")}, forCorrection: {givesUp()},
				forAction: {acts(`click("14")`, `"planStep":1`), acts(`press("Escape")`, `"planStep":1`)},
			},
			visits: []sight{list(`click("14")`), {page: filled(patientForm, nameField), saw: map[string]any{"url": "https://pay.example/"}, want: `press("Escape")`}, {page: filled(patientForm, nameField), saw: with(noFocus, map[string]any{"url": "https://pay.example/"}), want: "fail("}},
			more:   []string{"events {task} --type plan_made", "fields {task}"},
			facts: []fact{
				{"type": "task.plan_made.v1", "turn": "2", "data/cause": "url"},
				{"path": "/plan/steps/0/description", "value": "Refuse the notice", "by/type": "task.plan_made.v1"},
			},
		},
		"a search that failed": {
			query:  shortTask,
			lines:  script{forAction: {acts(`googleSearch("free beds")`), acts(`press("Escape")`)}, forCorrection: {givesUp()}},
			visits: escapes(),
			more:   []string{"events {task} --type web_searched"},
			facts:  []fact{{"type": "task.web_searched.v1", "turn": "1", "data/search/query": "free beds", "data/failed": "true"}},
		},
		"a question that nobody answered": {
			query:  shortTask,
			lines:  script{forAction: {acts("", `"question":"Which one?"`), acts("", `"question":"Which one?"`), acts("", `"question":"Which one?"`)}},
			visits: []sight{list("needs_user_input"), list("needs_user_input"), list("fail(")},
			more:   []string{"events {task} --type user_input_requested"},
			facts:  []fact{{"type": "task.user_input_requested.v1", "turn": "1", "data/question": "Which one?"}, {"type": "task.task_failed.v1", "data/code": "NO_REPLY"}},
		},
	}
}

func with(a, b map[string]any) map[string]any {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// fillsIn is a chain that fills in the registration.
func fillsIn() line {
	var items []map[string]any
	for _, a := range sets(11, between(0, 5)...) {
		items = append(items, map[string]any{"action": a, "description": "Fill it in", "canFail": false})
	}
	list, err := json.Marshal(items)
	if err != nil {
		panic(err)
	}
	return acts("", `"actions":`+string(list))
}

// Of a task that failed, whatever of, the command line leads to the turn, the event and
// the field: the list of what failed, its turns, the first that went wrong, that turn
// with everything, and at most three more commands.
func TestFaults_AreFoundOnTheCommandLine(t *testing.T) {
	t.Parallel()
	url := provider(t, map[string]http.HandlerFunc{"beds": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusTooManyRequests) }})
	g := newStage(t, func(c *config) {
		c.TavilyURL, c.TavilyKey, c.Limits.MaxSteps, c.Limits.MaxQuestions = url, "tvly-1", 4, 2
	})
	tenant := data[api.SessionData](t, g.get(t, "/api/v1/auth/session")).TenantID
	all := faults()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			f := all[name]
			p := g.begin(t, f.query, f.lines)
			p.goesWrong(f)
			g.catchUp(t)
			v := investigation{t: t, s: g.server, task: p.task, tenant: tenant}
			v.untilTheTurn()
			for _, command := range f.more {
				v.ask(command)
			}
			for _, want := range f.facts {
				v.tells(want)
			}
			if len(f.more) > 3 || strings.Contains(strings.Join(v.said, ""), password) {
				t.Errorf("%d more commands, or a password is shown", len(f.more))
			}
		})
	}
}

// goesWrong plays a fault to its end.
func (p *play) goesWrong(f fault) {
	p.t.Helper()
	for _, v := range f.visits {
		if v.want != "" {
			p.turn(v)
		} else if r := p.send(v); r.status != http.StatusBadRequest {
			p.t.Errorf("%d %s", r.status, r.body)
		}
	}
}

// investigation is a session of commands about a task.
type investigation struct {
	t            *testing.T
	s            *server
	task, tenant string
	said         []string
	// turn is the first that went wrong, of the one whose action its verdict judges; call
	// is the first model call of the turn shown last.
	turn, of     int
	end          int // the newest turn
	before, last int64
	call         string
}

// ask gives a command of task and keeps what it prints.
func (v *investigation) ask(command string) string {
	v.t.Helper()
	fill := strings.NewReplacer("{task}", v.task, "{tenant}", v.tenant, "{turn}", strconv.Itoa(v.turn), "{of}", strconv.Itoa(v.of), "{end}", strconv.Itoa(v.end), "{call}", v.call,
		"{before}", strconv.FormatInt(v.before, 10), "{last}", strconv.FormatInt(v.last, 10))
	args := []string{"task"}
	for word := range strings.FieldsSeq(command) {
		args = append(args, strings.ReplaceAll(fill.Replace(word), "~", " "))
	}
	said := v.s.tool(v.t, append(args, "--json")...)
	v.said = append(v.said, said)
	var shown struct{ Calls []struct{ CallID string } }
	if json.Unmarshal([]byte(said), &shown) == nil && len(shown.Calls) > 0 {
		v.call = shown.Calls[0].CallID
	}
	return said
}

// untilTheTurn finds the first turn with a verdict that failed or the end of the task.
func (v *investigation) untilTheTurn() {
	v.t.Helper()
	if list := v.ask("list --tenant {tenant} --status failed"); !strings.Contains(list, v.task) {
		v.t.Errorf("the task is not listed: %s", list)
	}
	type verdict struct {
		Outcome string
		Of      *struct{ Turn int }
	}
	var shown struct {
		Turns []struct {
			Turn                     int
			FromRevision, ToRevision int64
			Verdicts                 []verdict
			Ended                    *struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(v.ask("show {task}")), &shown); err != nil {
		v.t.Fatal(err)
	}
	v.end = shown.Turns[len(shown.Turns)-1].Turn
	for _, turn := range shown.Turns {
		i := slices.IndexFunc(turn.Verdicts, func(g verdict) bool { return g.Outcome == "failed" })
		if i < 0 && turn.Ended == nil {
			continue
		}
		v.turn, v.of, v.before, v.last = turn.Turn, turn.Turn, turn.FromRevision-1, turn.ToRevision
		if i >= 0 && turn.Verdicts[i].Of != nil {
			v.of = turn.Verdicts[i].Of.Turn
		}
		v.ask("show {task} --turn {turn}")
		return
	}
	v.t.Fatal("no turn went wrong")
}

// tells requires that a fact was printed.
func (v *investigation) tells(want fact) {
	v.t.Helper()
	for _, said := range v.said {
		for d := json.NewDecoder(strings.NewReader(said)); d.More(); {
			var printed any
			if err := d.Decode(&printed); err != nil {
				v.t.Fatal(err)
			}
			if want.isIn(printed) {
				return
			}
		}
	}
	v.t.Errorf("nothing printed is %v:\n%s", want, strings.Join(v.said[2:], "\n"))
}

// isIn looks for the fact in a value and all there is in it.
func (f fact) isIn(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return f.isOf(v) || slices.ContainsFunc(slices.Collect(maps.Values(v)), f.isIn)
	case []any:
		return slices.ContainsFunc(v, f.isIn)
	}
	return false
}

func (f fact) isOf(v map[string]any) bool {
	for path, want := range f {
		var at any = v
		for name := range strings.SplitSeq(path, "/") {
			at, _ = memberOf(at, name)
		}
		got := fmt.Sprint(at)
		part, some := strings.CutPrefix(want, "~")
		if same := got == want || some && strings.Contains(got, part); !same {
			return false
		}
	}
	return true
}

package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/replay"
)

// maxForkForm bounds the form of a fork, which may hold a page.
const maxForkForm = 8 << 20

type replayView struct {
	Head taskHead
	replay.Report
	// Differ and Skipped count turns.
	Differ, Skipped int
}

// replay decides the task anew and shows what differs.
func (p *Pages) replay(r *request) error {
	var v replayView
	var err error
	if v.Head, err = p.head(r, "replay"); err != nil {
		return err
	}
	if err := p.get(r, &v.Report, nil, "debug", "tasks", r.PathValue("task"), "replay"); err != nil {
		return err
	}
	for _, t := range v.Turns {
		switch {
		case t.Skipped != "":
			v.Skipped++
		case !t.Same:
			v.Differ++
		}
	}
	return p.show(r, "replay", "tasks", "Replay of "+v.Head.Query, v)
}

type bisectView struct {
	Head      taskHead
	Condition string
	// Found is nil before anything was asked, Problem what is wrong with the condition.
	Found   *replay.Found
	Problem string
}

// bisect finds the first revision at which a condition holds.
func (p *Pages) bisect(r *request) error {
	v := bisectView{Condition: r.URL.Query().Get("condition")}
	var err error
	if v.Head, err = p.head(r, "bisect"); err != nil {
		return err
	}
	if v.Condition != "" {
		var found replay.Found
		err := p.get(r, &found, url.Values{"condition": {v.Condition}}, "debug", "tasks", r.PathValue("task"), "bisect")
		if refused := refusedInput(err); refused != nil {
			v.Problem = refused.Message
		} else if err != nil {
			return err
		} else {
			v.Found = &found
		}
	}
	return p.show(r, "bisect", "tasks", "Bisect "+v.Head.Query, v)
}

type forkView struct {
	Head taskHead
	Turn int
	replay.Outcome
	Problem string
}

// fork decides a turn anew with what the form changes.
func (p *Pages) fork(r *request) error {
	r.Body = http.MaxBytesReader(r.w, r.Body, maxForkForm)
	n, err := number(r.PostFormValue("turn"))
	if err != nil {
		return err
	}
	v := forkView{Turn: n}
	body, err := json.Marshal(api.ForkBody{
		Turn: n, Settings: settings(r.PostFormValue("settings")), Page: r.PostFormValue("page"), Answer: r.PostFormValue("answer"),
	})
	if err != nil {
		return err
	}
	if v.Head, err = p.head(r, "turns"); err != nil {
		return err
	}
	path := target(nil, "debug", "tasks", r.PathValue("task"), "forks")
	err = p.fetch(r.Request, r.token, http.MethodPost, path, strings.NewReader(string(body)), &v.Outcome)
	if refused := refusedInput(err); refused != nil {
		v.Problem = refused.Message
	} else if err != nil {
		return err
	}
	return p.show(r, "fork", "tasks", "Fork of "+v.Head.Query, v)
}

// settings reads NAME=VALUE, one a line. A line without a value is for the API to refuse.
func settings(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name != "" {
			all[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return all
}

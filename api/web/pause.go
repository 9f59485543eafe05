package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// pause holds a task, or takes it over, in the name of who is signed in.
func (p *Pages) pause(r *request) error {
	return p.hold(r, "pause", map[string]string{"kind": r.FormValue("kind"), "note": r.FormValue("note")})
}

// resume hands a task back with a note for the agent.
func (p *Pages) resume(r *request) error {
	return p.hold(r, "resume", map[string]string{"note": r.FormValue("note")})
}

func (p *Pages) hold(r *request, what string, form map[string]string) error {
	for name, value := range form {
		if value == "" {
			delete(form, name)
		}
	}
	body, err := json.Marshal(form)
	if err != nil {
		return err
	}
	id := r.PathValue("task")
	path := target(nil, "debug", "tasks", id, what)
	if err := p.fetch(r.Request, r.token, http.MethodPost, path, strings.NewReader(string(body)), nil); err != nil {
		return err
	}
	http.Redirect(r.w, r.Request, fmt.Sprintf("/tasks/%s", url.PathEscape(id)), http.StatusSeeOther)
	return nil
}

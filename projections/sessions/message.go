package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/projections"
)

// message is a line to be inserted.
type message struct {
	role, content string
	turn          int
	step          *int
	action        string
	payload       *ActionPayload
	status        string
	err           *MessageError
	summary       string
	by            string
	// closing: the message is left out if the agent has just said the same with
	// finish or fail.
	closing bool
}

// A message of a visible task takes the session's next number.
const newMessage = `
	with t as (
		select session_id, visible from session_task
		where task_id = @task and not (@closing and exists (
			select from message
			where task_id = @task and status = 'pending' and action_payload->>'type' in ('finish', 'fail')))
	), numbered as (
		update session set next_sequence = next_sequence + 1, updated_at = @at
		from t
		where session.session_id = t.session_id and t.visible
		returning next_sequence - 1 as sequence
	)
	insert into message (message_id, session_id, task_id, turn, step_index, role, content, action_payload,
		action_string, status, error, dom_summary, model, timestamp, position, sequence)
	select @id, t.session_id, @task, @turn, @step, @role, @content, @payload,
		@action, @status, @error, @summary, @model, @at, @position, (select sequence from numbered)
	from t`

func (t taskEvent) message(m message) {
	args := pgx.NamedArgs{
		"id": domain.DeriveUUID("message", t.ID), "turn": m.turn, "step": m.step, "role": m.role,
		"content": m.content, "payload": projections.JSON(m.payload), "action": m.action, "status": m.status,
		"error":   projections.JSON(m.err),
		"summary": m.summary, "model": nil, "closing": m.closing,
	}
	if m.by != "" && m.by != "rules" {
		args["model"] = m.by
	}
	t.queue(newMessage, args)
}

func actionMessage(kind action.Name, printed, summary string) message {
	m := message{role: RoleAssistant, status: StatusPending, action: printed, summary: summary}
	m.payload = &ActionPayload{Type: string(kind)}
	a, err := action.Parse(printed)
	if err != nil { // erased, or no longer in the language: only the kind is left
		if printed != domain.Erased {
			m.action = "" // what it holds cannot be told, so it is not shown
		}
		return m
	}
	if a.Name == action.Navigate {
		a.Text = projections.BareURL(a.Text)
		m.action = a.String()
	}
	m.payload.Text = a.Text
	if a.Target != "" {
		m.payload.ElementID = elementID(a.Target)
	}
	return m
}

// elementID is a number if the client's id is one, as the specification's clients
// expect.
func elementID(id string) json.RawMessage {
	if n, err := strconv.ParseUint(id, 10, 53); err == nil && strconv.FormatUint(n, 10) == id {
		return json.RawMessage(id)
	}
	b, _ := json.Marshal(id) // a string always encodes
	return b
}

// maxSummary is the longest domSummary, in runes (spec §4.8).
const maxSummary = 200

// summary describes a page in one line, without secrets: where it was and what could be
// acted on.
func summary(b seenPage, known *secret.Set) (string, error) {
	var parts []string
	elements := json.NewDecoder(bytes.NewReader(b.Skeleton.Elements))
	_, err := elements.Token() // the list's bracket, or there are none
	for n := 0; err == nil && n <= maxSummary && elements.More(); {
		var e page.Descriptor
		if err := elements.Decode(&e); err != nil {
			return "", fmt.Errorf("elements of the page: %w", err)
		}
		if name := known.Cut(e.Name); name != "" {
			parts = append(parts, known.Cut(e.Role)+" "+name)
			n += utf8.RuneCountInString(parts[len(parts)-1])
		}
	}
	s := projections.BareURL(known.Cut(b.URL))
	if u, err := weburl.Parse(s); err == nil && u.Host != "" {
		s = u.Host + u.Path
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	if r := []rune(s); len(r) > maxSummary {
		s = string(r[:maxSummary-1]) + "…"
	}
	return s, nil
}

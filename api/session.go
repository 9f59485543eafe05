package api

import (
	"context"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/projections/sessions"
)

// SessionView is a session in a list (spec §4.8.2).
type SessionView struct {
	SessionID    string          `json:"sessionId" format:"uuid"`
	URL          string          `json:"url" doc:"Where its first task began."`
	Status       string          `json:"status" enum:"active,completed,failed,interrupted,archived"`
	CreatedAt    time.Time       `json:"createdAt"`
	UpdatedAt    time.Time       `json:"updatedAt"`
	MessageCount int             `json:"messageCount"`
	Metadata     SessionMetadata `json:"metadata"`
}

// SessionMetadata is further data of a session.
type SessionMetadata struct {
	InitialQuery string `json:"initialQuery,omitempty" doc:"What the user first asked for."`
}

func sessionView(v sessions.Session) SessionView {
	return SessionView{
		v.SessionID, v.URL, v.Status, v.CreatedAt.UTC(), v.UpdatedAt.UTC(), v.MessageCount,
		SessionMetadata{v.InitialQuery},
	}
}

// SessionsData is a page of sessions, the most recently touched first.
type SessionsData struct {
	Sessions   []SessionView `json:"sessions" nullable:"false"`
	Pagination Pagination    `json:"pagination"`
}

// Pagination is the position and size of a page of a list.
type Pagination struct {
	Total   int  `json:"total"`
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	HasMore bool `json:"hasMore"`
}

type sessionsInput struct {
	Freshness
	Status          string `query:"status" enum:"active,completed,failed,interrupted,archived" doc:"Only these. Without it and includeArchived: active."`
	IncludeArchived bool   `query:"includeArchived"`
	Limit           int    `query:"limit" default:"20" minimum:"1" maximum:"100"`
	Offset          int    `query:"offset" default:"0" minimum:"0" maximum:"1000000"`
}

func (s *Server) sessions(ctx context.Context, in *sessionsInput) (*reply[SessionsData], error) {
	if err := s.await(ctx, in.Freshness, sessions.Projection); err != nil {
		return nil, err
	}
	who := caller(ctx)
	p, err := s.Sessions.List(ctx, sessions.Filter{
		Tenant: who.TenantID, User: who.UserID, Status: in.Status,
		IncludeArchived: in.IncludeArchived, Limit: in.Limit, Offset: in.Offset,
	})
	if err != nil {
		return nil, err
	}
	d := SessionsData{make([]SessionView, 0, len(p.Sessions)), Pagination{p.Total, p.Limit, p.Offset, p.HasMore}}
	for _, v := range p.Sessions {
		d.Sessions = append(d.Sessions, sessionView(v))
	}
	return ok(d), nil
}

type latestInput struct {
	Freshness
	Status string `query:"status" default:"active" enum:"active,completed,failed,interrupted"`
}

// latestSession answers 404 if there is none (spec §4.8.4).
func (s *Server) latestSession(ctx context.Context, in *latestInput) (*reply[SessionView], error) {
	if err := s.await(ctx, in.Freshness, sessions.Projection); err != nil {
		return nil, err
	}
	who := caller(ctx)
	v, err := s.Sessions.Latest(ctx, who.TenantID, who.UserID, in.Status)
	if err != nil {
		return nil, err
	}
	return ok(sessionView(v)), nil
}

// MessagesData is a part of a conversation, oldest first; total counts all of its
// messages.
type MessagesData struct {
	SessionID string             `json:"sessionId" format:"uuid"`
	Messages  []sessions.Message `json:"messages" nullable:"false"`
	Total     int                `json:"total"`
}

type messagesInput struct {
	Freshness
	SessionID       string    `path:"sessionId" format:"uuid"`
	Limit           int       `query:"limit" default:"50" minimum:"1" maximum:"200"`
	Since           time.Time `query:"since" doc:"Only messages after this moment (ISO 8601)."`
	IncludeArchived bool      `query:"includeArchived" doc:"Without it an archived session is 404."`
}

func (s *Server) messages(ctx context.Context, in *messagesInput) (*reply[MessagesData], error) {
	id, err := uuid("sessionId", in.SessionID)
	if err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, sessions.Projection); err != nil {
		return nil, err
	}
	who := caller(ctx)
	m, err := s.Sessions.Messages(ctx, who.TenantID, who.UserID, id, sessions.MessageFilter{
		Limit: in.Limit, Since: in.Since, IncludeArchived: in.IncludeArchived,
	})
	if err != nil {
		return nil, err
	}
	return ok(MessagesData{m.SessionID, append([]sessions.Message{}, m.Messages...), m.Total}), nil
}

// ArchiveBody is the body of archiveSession.
type ArchiveBody struct {
	SessionID string `json:"sessionId" format:"uuid"`
}

// ArchivedData confirms that a session is archived.
type ArchivedData struct {
	SessionID string `json:"sessionId" format:"uuid"`
	Status    string `json:"status" enum:"archived"`
	Message   string `json:"message"`
}

type archivedReply struct {
	Position string `header:"X-Event-Position" doc:"Log position after it; for atLeast."`
	Body     envelope[ArchivedData]
}

func (s *Server) archiveSession(ctx context.Context, _ *struct{}, body []byte) (*archivedReply, error) {
	var b ArchiveBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	id, err := uuid("sessionId", b.SessionID)
	if err != nil {
		return nil, err
	}
	who := caller(ctx)
	position, err := s.Archiver.ArchiveSession(ctx, who.TenantID, who.UserID, id)
	if err != nil {
		return nil, err
	}
	d := ArchivedData{id, sessions.Archived, "Session archived successfully"}
	return &archivedReply{strconv.FormatInt(position, 10), envelope[ArchivedData]{true, d}}, nil
}

package api

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/erasure"
)

// ErasureBody asks for an erasure.
type ErasureBody struct {
	Kind    erasure.Kind   `json:"kind" enum:"user,tenant,task"`
	ID      string         `json:"id" format:"uuid" doc:"Of the user, the tenant or the task: the caller's tenant, or what is in it."`
	Reason  erasure.Reason `json:"reason" enum:"asked,left,law,mistake"`
	Confirm string         `json:"confirm,omitempty" maxLength:"200" doc:"The tenant's name, to erase the tenant; else ignored."`
}

// ErasureEntry is an erasure, as it was asked for and as it stands.
type ErasureEntry struct {
	ErasureID   string         `json:"erasureId" format:"uuid"`
	Kind        erasure.Kind   `json:"kind" enum:"user,tenant,task"`
	ID          string         `json:"id" format:"uuid" doc:"Of what is erased."`
	Reason      erasure.Reason `json:"reason" enum:"asked,left,law,mistake"`
	RequestedBy string         `json:"requestedBy,omitempty" format:"uuid" doc:"The user who asked first; absent for the operator."`
	RequestedAt time.Time      `json:"requestedAt"`
	Status      string         `json:"status" enum:"requested,completed" doc:"requested: it is durable, and goes on by itself whatever happens to the server."`
	CompletedAt *time.Time     `json:"completedAt,omitempty"`
	Report      *ErasureReport `json:"report,omitempty" doc:"Absent until it is completed."`
}

// ErasureReport is what was erased where, and what stays and why.
type ErasureReport struct {
	Erased []ErasedCount `json:"erased" nullable:"false"`
	Kept   []KeptThing   `json:"kept" nullable:"false"`
}

// ErasedCount is how much of something was erased from a store.
type ErasedCount struct {
	Store string `json:"store"`
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// KeptThing is something that stays.
type KeptThing struct {
	Store string `json:"store"`
	What  string `json:"what"`
	Why   string `json:"why"`
}

func erasureEntry(e commands.RecordedErasure) ErasureEntry {
	out := ErasureEntry{
		ErasureID: e.ErasureRequested.Erasure, Kind: e.Kind, ID: e.Subject, Reason: e.Reason, RequestedAt: e.At.UTC(), Status: "requested",
	}
	if domain.ValidUUID(e.By) {
		out.RequestedBy = e.By
	}
	if e.Completed == nil {
		return out
	}
	out.Status, out.CompletedAt = "completed", new(e.Completed.At.UTC())
	out.Report = &ErasureReport{[]ErasedCount{}, []KeptThing{}}
	for _, c := range e.Completed.Report.Erased {
		out.Report.Erased = append(out.Report.Erased, ErasedCount(c))
	}
	for _, k := range e.Completed.Report.Kept {
		out.Report.Kept = append(out.Report.Kept, KeptThing(k))
	}
	return out
}

type erasureReply struct {
	Position string `header:"X-Event-Position" doc:"Log position of the request, the first one if there were several."`
	Body     envelope[ErasureEntry]
}

// requestErasure records that something of the caller's tenant is to be erased. It is
// begun at once and not waited for. Asked again it is the same erasure.
func (s *Server) requestErasure(ctx context.Context, _ *struct{}, body []byte) (*erasureReply, error) {
	var b ErasureBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if err := s.checkErasure(ctx, &b); err != nil {
		return nil, err
	}
	who := callOf(ctx).by()
	e, err := s.Erasures.RequestErasure(ctx, who, erasure.ErasureRequested{Tenant: caller(ctx).TenantID, Kind: b.Kind, Subject: b.ID, By: who.UserID, Reason: b.Reason})
	if err != nil {
		return nil, aboutID(err)
	}
	return &erasureReply{strconv.FormatInt(e.Position, 10), envelope[ErasureEntry]{true, erasureEntry(e)}}, nil
}

// checkErasure checks what is asked for, and a tenant's erasure whole: it has to be the
// caller's, and meant.
func (s *Server) checkErasure(ctx context.Context, b *ErasureBody) (err error) {
	if err := oneOf("kind", b.Kind, erasure.Kinds); err != nil {
		return err
	}
	if b.ID, err = uuid("id", b.ID); err != nil {
		return err
	}
	if err := oneOf("reason", b.Reason, erasure.Reasons); err != nil {
		return err
	}
	if err := checkLength("confirm", b.Confirm, maxName); err != nil {
		return err
	}
	if b.Kind != erasure.Tenant {
		return nil
	}
	own, err := s.Identity.Tenant(ctx, caller(ctx).TenantID)
	switch {
	case err != nil:
		return err
	case b.ID != own.ID:
		return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such tenant").At("id")
	case b.Confirm != own.Name:
		return invalid("confirm", "confirm has to be the tenant's name: everything of it is erased and cannot be brought back")
	}
	return nil
}

// aboutID lets an error about a user or task name the field of the body it is in.
func aboutID(err error) error {
	var e *domain.Error
	if !errors.As(err, &e) || e.Kind != domain.NotFound && e.Kind != domain.Conflict {
		return err
	}
	about := *e
	return about.At("id")
}

// oneOf refuses a value that is none of those allowed.
func oneOf[T ~string](field string, v T, allowed []T) error {
	if slices.Contains(allowed, v) {
		return nil
	}
	return invalid(field, "%s has to be one of %v", field, allowed)
}

// ErasuresData is a page of the tenant's erasures, the newest request first.
type ErasuresData struct {
	Erasures []ErasureEntry `json:"erasures" nullable:"false"`
	Next     int64          `json:"next,omitempty" doc:"Send it as before to get the next page; absent on the last."`
}

type erasuresInput struct {
	Before int64 `query:"before" minimum:"0" doc:"next of the page before."`
	Limit  int   `query:"limit" default:"100" minimum:"1" maximum:"1000"`
}

func (s *Server) erasures(ctx context.Context, in *erasuresInput) (*reply[ErasuresData], error) {
	all, err := s.Erasures.Erasures(ctx, caller(ctx).TenantID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b commands.RecordedErasure) int { return int(b.Position - a.Position) })
	d := ErasuresData{Erasures: []ErasureEntry{}}
	for _, e := range all {
		if in.Before > 0 && e.Position >= in.Before {
			continue
		}
		if len(d.Erasures) == in.Limit {
			break
		}
		d.Erasures, d.Next = append(d.Erasures, erasureEntry(e)), e.Position
	}
	if len(d.Erasures) == 0 || d.Next == all[len(all)-1].Position {
		d.Next = 0
	}
	return ok(d), nil
}

type erasureInput struct {
	ErasureID string `path:"erasureId" format:"uuid"`
}

func (s *Server) erasure(ctx context.Context, in *erasureInput) (*reply[ErasureEntry], error) {
	id, err := uuid("erasureId", in.ErasureID)
	if err != nil {
		return nil, err
	}
	all, err := s.Erasures.Erasures(ctx, caller(ctx).TenantID)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.ErasureRequested.Erasure == id {
			return ok(erasureEntry(e)), nil
		}
	}
	return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such erasure").At("erasureId")
}

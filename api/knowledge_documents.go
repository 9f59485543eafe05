package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	known "github.com/stepledger/stepledger/domain/knowledge"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

// DocumentEntry is a document of a source.
type DocumentEntry struct {
	DocumentID string       `json:"documentId" format:"uuid"`
	SourceID   string       `json:"sourceId" format:"uuid"`
	Path       string       `json:"path" doc:"A file's name, or a page's address."`
	Title      string       `json:"title,omitempty"`
	Status     known.Status `json:"status" enum:"waiting,reading,indexed,empty,refused,removed,withdrawn" doc:"Of the newest version. All but the first two are ends."`
	Findable   bool         `json:"findable" doc:"A version of it is found: the newest, or while that is read, or was refused, the one before."`
	Version    string       `json:"version" format:"uuid"`
	Number     int          `json:"number" doc:"Of the version, from 1."`
	Code       string       `json:"code,omitempty" doc:"Why it was refused, for a program."`
	Reason     string       `json:"reason,omitempty" doc:"Why it is empty or was refused, for a person."`
	Page       int          `json:"page,omitempty" doc:"How far reading has come, of ofPages."`
	OfPages    int          `json:"ofPages,omitempty"`
	Attempts   int          `json:"attempts,omitempty" doc:"How often reading it was begun."`
	Type       known.Type   `json:"type,omitempty" enum:"pdf,docx,xlsx,csv,json,xml,yaml,markdown,text,html" doc:"Found by its content."`
	MediaType  string       `json:"mediaType,omitempty" doc:"As it was declared."`
	Language   string       `json:"language,omitempty"`
	Size       int64        `json:"size" doc:"In bytes."`
	Pages      int          `json:"pages,omitempty" doc:"Of a PDF, or sheets of a workbook."`
	ImagePages int          `json:"imagePages,omitempty" doc:"Those without any text."`
	Chunks     int          `json:"chunks" doc:"Pieces that can be found."`
	Phase      known.Phase  `json:"phase,omitempty" enum:"initial,post-interaction" doc:"Of a page the agent saw."`
	TaskID     string       `json:"taskId,omitempty" format:"uuid" doc:"Where the agent saw it; erasing the task forgets it."`
	Turn       int          `json:"turn,omitempty"`
	ReceivedAt time.Time    `json:"receivedAt"`
	CheckedAt  time.Time    `json:"checkedAt" doc:"When it was last seen to be as it is."`
	EndedAt    *time.Time   `json:"endedAt,omitempty" doc:"When reading it ended."`
}

// NewDocumentEntry is a document as it is sent; the command line prints the same.
func NewDocumentEntry(k view.Document) DocumentEntry {
	return DocumentEntry{
		DocumentID: k.ID, SourceID: k.Source, Path: k.Path, Title: k.Title, Status: statusOfState(k.State), Findable: k.Live != "", Version: k.Version,
		Number: k.Number, Code: k.Code, Reason: k.Reason, Page: k.Page, OfPages: k.OfPages, Attempts: k.Attempts, Type: k.Type, MediaType: k.Media,
		Language: k.Language, Size: k.Size, Pages: k.Pages, ImagePages: k.ImagePages, Chunks: k.Chunks, Phase: k.Phase, TaskID: k.Task, Turn: k.Turn,
		ReceivedAt: k.ReceivedAt.UTC(), CheckedAt: k.CheckedAt.UTC(), EndedAt: inUTC(k.EndedAt),
	}
}

// statusOfState is a state of the read model as the contract calls it.
func statusOfState(state string) known.Status {
	if state == view.Received {
		return known.Waiting
	}
	return known.Status(state)
}

// StateOf is a status as the read model calls it.
func StateOf(s known.Status) string {
	if s == known.Waiting {
		return view.Received
	}
	return string(s)
}

// DocumentsData is a page of the documents of a source, received last first.
type DocumentsData struct {
	Documents []DocumentEntry `json:"documents" nullable:"false"`
	Next      string          `json:"next,omitempty" doc:"Send it as after to get the next page; absent on the last."`
}

type documentsInput struct {
	Freshness
	SourceID string       `path:"sourceId" format:"uuid"`
	Status   known.Status `query:"status" enum:"waiting,reading,indexed,empty,refused,removed,withdrawn" doc:"All but removed and withdrawn without it."`
	Limit    int          `query:"limit" default:"100" minimum:"1" maximum:"500"`
	After    string       `query:"after" maxLength:"4000" doc:"next of the page before."`
}

func (s *Server) documents(ctx context.Context, in *documentsInput) (*reply[DocumentsData], error) {
	f := view.Filter{State: StateOf(in.Status), Limit: in.Limit}
	source, err := uuid("sourceId", in.SourceID)
	if err != nil {
		return nil, err
	}
	if f.After, err = readCursor[*view.Mark]("after", in.After); err != nil {
		return nil, err
	}
	if f.After != nil && !domain.ValidUUID(f.After.ID) {
		return nil, invalid("after", "this is no place in a list; send what the page before said")
	}
	if err := s.await(ctx, in.Freshness, view.Projection); err != nil {
		return nil, err
	}
	page, more, err := s.Library.Documents(ctx, caller(ctx).TenantID, source, f)
	if err != nil {
		return nil, notThere("sourceId", err)
	}
	d := DocumentsData{Documents: make([]DocumentEntry, 0, len(page))}
	for _, k := range page {
		d.Documents = append(d.Documents, NewDocumentEntry(k))
	}
	if more && len(page) > 0 {
		last := page[len(page)-1]
		d.Next = cursor(view.Mark{ReceivedAt: last.ReceivedAt.UTC(), ID: last.ID})
	}
	return ok(d), nil
}

type documentInput struct {
	Freshness
	SourceID   string `path:"sourceId" format:"uuid"`
	DocumentID string `path:"documentId" format:"uuid"`
}

func (s *Server) document(ctx context.Context, in *documentInput) (*reply[DocumentEntry], error) {
	source, id, err := documentPath(in.SourceID, in.DocumentID)
	if err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, view.Projection); err != nil {
		return nil, err
	}
	k, err := s.Library.Document(ctx, caller(ctx).TenantID, id)
	if err == nil && k.Source != source {
		err = known.NotFound("document")
	}
	if err != nil {
		return nil, notThere("documentId", err)
	}
	return ok(NewDocumentEntry(k)), nil
}

// documentPath normalises the two ids of a path.
func documentPath(source, document string) (sourceID, documentID string, err error) {
	if sourceID, err = uuid("sourceId", source); err != nil {
		return "", "", err
	}
	documentID, err = uuid("documentId", document)
	return sourceID, documentID, err
}

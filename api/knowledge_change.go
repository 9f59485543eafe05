package api

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
	known "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

type sourcePath struct {
	SourceID string `path:"sourceId" format:"uuid"`
}

// recrawl begins the next crawl of a source.
func (s *Server) recrawl(ctx context.Context, in *sourcePath) (*sourceReply, error) {
	id, err := uuid("sourceId", in.SourceID)
	if err != nil {
		return nil, err
	}
	done, err := s.Library.Recrawl(ctx, caller(ctx).TenantID, caller(ctx).UserID, id)
	if err != nil {
		return nil, aboutLibrary(err)
	}
	return s.added(done, SourceCrawling, nil)
}

// RemovedSource confirms that a source is found no more.
type RemovedSource struct {
	SourceID string `json:"sourceId" format:"uuid"`
}

type removedSourceReply struct {
	Position string `header:"X-Event-Position" doc:"Log position of the removal."`
	Body     envelope[RemovedSource]
}

func (s *Server) removeSource(ctx context.Context, in *sourcePath) (*removedSourceReply, error) {
	id, err := uuid("sourceId", in.SourceID)
	if err != nil {
		return nil, err
	}
	done, err := s.Library.Remove(ctx, caller(ctx).TenantID, caller(ctx).UserID, id)
	position, err := s.removed(ctx, done, err)
	if err != nil {
		return nil, err
	}
	return &removedSourceReply{position, envelope[RemovedSource]{true, RemovedSource{id}}}, nil
}

// RemovedDocument confirms that a document is found no more.
type RemovedDocument struct {
	SourceID   string `json:"sourceId" format:"uuid"`
	DocumentID string `json:"documentId" format:"uuid"`
}

type removedDocumentReply struct {
	Position string `header:"X-Event-Position" doc:"Log position of the removal."`
	Body     envelope[RemovedDocument]
}

type documentPathInput struct {
	SourceID   string `path:"sourceId" format:"uuid"`
	DocumentID string `path:"documentId" format:"uuid"`
}

func (s *Server) removeDocument(ctx context.Context, in *documentPathInput) (*removedDocumentReply, error) {
	source, id, err := documentPath(in.SourceID, in.DocumentID)
	if err != nil {
		return nil, err
	}
	done, err := s.Library.RemoveDocument(ctx, caller(ctx).TenantID, caller(ctx).UserID, source, id)
	position, err := s.removed(ctx, done, err)
	if err != nil {
		return nil, err
	}
	return &removedDocumentReply{position, envelope[RemovedDocument]{true, RemovedDocument{source, id}}}, nil
}

// removed waits until lists lack what was removed, so that who removes it sees it gone.
// Nothing of it is found from before that on, however long it takes.
func (s *Server) removed(ctx context.Context, done knowledge.Added, err error) (position string, _ error) {
	if err != nil {
		return "", aboutLibrary(err)
	}
	lag, err := s.Waiter.Wait(ctx, []string{view.Projection.Name}, done.Position, explicitWait)
	if err != nil {
		return "", projections.Unavailable(err)
	}
	if lag > 0 {
		callOf(ctx).header.Set("X-Projection-Lag", strconv.FormatInt(lag, 10))
	}
	return strconv.FormatInt(done.Position, 10), nil
}

// fieldsOfLibrary are the api's names for fields of the domain.
var fieldsOfLibrary = map[string]string{"source": "sourceId", "document": "documentId", "every": "everyHours"}

// aboutLibrary lets an error name the field as the api has it.
func aboutLibrary(err error) error {
	var e *domain.Error
	if !errors.As(err, &e) || fieldsOfLibrary[e.Field] == "" {
		return err
	}
	about := *e
	return about.At(fieldsOfLibrary[e.Field])
}

// notThere names the id of a path that nothing is there for.
func notThere(field string, err error) error {
	if domain.KindOf(err) != domain.NotFound {
		return err
	}
	e := new(domain.Error)
	if errors.As(known.NotFound(strings.TrimSuffix(field, "Id")), &e) {
		return e.At(field)
	}
	return err
}

package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

// documentReader reads documents, each in a process of its own, a few at the same time.
type documentReader struct {
	sandbox extract.Sandbox
	slots   chan struct{}
}

func newDocumentReader(cfg config) documentReader {
	return documentReader{cfg.sandbox(), make(chan struct{}, readSlots)}
}

// Read implements knowledge.Reader.
func (r documentReader) Read(ctx context.Context, in knowledge.Input, progress func(page, of int)) (knowledge.Extracted, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return knowledge.Extracted{}, ctx.Err()
	}
	got, err := r.sandbox.Read(ctx, in.Body, extract.Hint{
		MediaType: in.Media, Name: in.Name, BaseURL: in.Name, KeepHidden: in.KeepHidden, Progress: progress,
	})
	var refused *extract.Refused
	var empty *extract.Empty
	switch {
	case errors.As(err, &refused):
		return got, &knowledge.RefusedError{Code: refused.Code, Reason: refused.Reason, Type: refused.Type}
	case errors.As(err, &empty):
		return got, &knowledge.EmptyError{Reason: empty.Reason, Type: empty.Type, Pages: empty.Pages, ImagePages: empty.ImagePages}
	}
	return got, err
}

// extractCmd is the process a document is read in.
func (p program) extractCmd() *cobra.Command {
	return &cobra.Command{
		Use: extractArg, Short: "Read one document from standard input, for the server", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return extract.Main(cmd.InOrStdin(), p.out) },
	}
}

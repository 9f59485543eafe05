package extract

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// Main reads one document from stdin and writes to stdout how it went, for a Sandbox:
// it sets the bounds that it is told for the whole process, which must do nothing else.
// It ends the process when stdin is closed before it is done. Its error means that it
// could not answer.
func Main(stdin io.Reader, stdout io.Writer) error {
	in := bufio.NewReaderSize(stdin, 64<<10)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("extract: read the request: %w", err)
	}
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return fmt.Errorf("extract: the request: %w", err)
	}
	if req.Size < 0 || req.Size > knowledge.MaxBytes {
		return fmt.Errorf("extract: the request says %d bytes", req.Size)
	}
	if err := limit(req.Memory, req.Timeout); err != nil {
		return err
	}
	body := make([]byte, req.Size)
	if _, err := io.ReadFull(in, body); err != nil {
		return fmt.Errorf("extract: read the document: %w", err)
	}
	go func() {
		// Nothing more is sent: the pipe ends when whoever asked has gone.
		_, _ = io.Copy(io.Discard, in)
		os.Exit(1)
	}()
	out := json.NewEncoder(stdout)
	req.Hint.Progress = func(page, of int) { _ = out.Encode(answer{Page: page, Of: of}) }
	return out.Encode(reading(body, req.Hint))
}

// reading reads, and turns a panic of a parser into a refusal.
func reading(body []byte, hint Hint) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{Refused: refuse(Damaged, "the document makes its reader fail: %v", p)}
		}
	}()
	read, err := Read(context.Background(), body, hint)
	var refused *Refused
	var empty *Empty
	switch {
	case errors.As(err, &refused):
		a.Refused = refused
	case errors.As(err, &empty):
		a.Empty = empty
	case err != nil:
		a.Failed = err.Error()
	default:
		a.Read = &read
	}
	return a
}

// limit bounds the process. The limit of the system is hard: an allocation over it ends
// the process at once. What the runtime tries to keep to is less.
func limit(memory int64, timeout time.Duration) error {
	debug.SetMemoryLimit(memory / 4 * 3)
	if err := hardLimit(memory, timeout); err != nil {
		return fmt.Errorf("extract: bound the process: %w", err)
	}
	return nil
}

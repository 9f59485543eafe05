package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// pipe speaks the debugging protocol over the two pipes of a Chromium that was started
// with --remote-debugging-pipe. It is safe for concurrent use.
//
// It is used in place of internal/browser, because what is tested here is the extension:
// its worker has to be found, asked and ended, and no other client may be at its pages.
type pipe struct {
	to io.Writer

	mu      sync.Mutex
	last    int
	waiting map[int]chan said
	gone    error
	// heard gets the events.
	heard func(event)
}

// said is the answer to a command.
type said struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// event is what Chromium says by itself.
type event struct {
	Method    string
	SessionID string
	Params    json.RawMessage
}

// errGone is a Chromium that has ended.
var errGone = errors.New("the browser has ended")

// openPipe gives a command that is not started yet the ends of two pipes.
func openPipe(cmd *exec.Cmd, heard func(event)) (p *pipe, started func(), err error) {
	commands, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.ExtraFiles = []*os.File{commands, answers} // 3 and 4 there
	p = &pipe{to: to, waiting: map[int]chan said{}, heard: heard}
	go p.read(from)
	return p, func() { _, _ = commands.Close(), answers.Close() }, nil
}

func (p *pipe) read(from io.ReadCloser) {
	defer from.Close()
	lines := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := lines.ReadBytes(0)
		if err != nil {
			p.end()
			return
		}
		var message struct {
			ID int
			said
			event
		}
		if json.Unmarshal(line[:len(line)-1], &message) != nil {
			continue
		}
		if message.ID == 0 {
			p.heard(message.event)
			continue
		}
		p.mu.Lock()
		answer := p.waiting[message.ID]
		delete(p.waiting, message.ID)
		p.mu.Unlock()
		if answer != nil {
			answer <- message.said
		}
	}
}

func (p *pipe) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = errGone
	for _, answer := range p.waiting {
		close(answer)
	}
	p.waiting = nil
}

// call sends a command to a session, "" for the browser itself, and reads its result
// into what is not nil.
func (p *pipe) call(ctx context.Context, session, method string, params map[string]any, into any) error {
	answer := make(chan said, 1)
	if err := p.send(session, method, params, answer); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case s, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", method, errGone)
		case s.Error != nil:
			return fmt.Errorf("%s: %s", method, s.Error.Message)
		case into == nil:
			return nil
		}
		return json.Unmarshal(s.Result, into)
	}
}

func (p *pipe) send(session, method string, params map[string]any, answer chan said) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != nil {
		return p.gone
	}
	p.last++
	message := map[string]any{"id": p.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	p.waiting[p.last] = answer
	_, err = p.to.Write(append(line, 0))
	return err
}

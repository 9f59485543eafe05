package extract

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// Bounds of the process a document is read in, unless a Sandbox says others.
const (
	DefaultMemory  = 1 << 30
	DefaultTimeout = 2 * time.Minute
	// maxOutput bounds what the process may say: text twice over, for what JSON escapes.
	maxOutput = 2*maxText + 32<<20
)

// Sandbox reads documents in a process each, which is this program executed anew. The
// process has no environment and no open files but its pipes; it is killed, with all it
// has started, when its time is over or the context ends, and it ends by itself when
// this process does.
type Sandbox struct {
	// Args are the arguments with which the program calls Main, as in "stepledger extract".
	Args []string
	// Program is the file that is executed; the running one if it is "".
	Program string
	// Memory is how many bytes the process may have, Timeout how long it may take, in
	// time and in time of a processor. 0 is DefaultMemory and DefaultTimeout.
	Memory  int64
	Timeout time.Duration
	// CacheDir is the CacheDir of hints that say none. Nobody else may write there: what is
	// in it is executed.
	CacheDir string
	// Env is added to the environment of the process, for tests.
	Env []string
}

// request is the first line that a process reads. The document follows it.
type request struct {
	Hint    Hint          `json:"hint"`
	Size    int           `json:"size"`
	Memory  int64         `json:"memory"`
	Timeout time.Duration `json:"timeout"`
}

// answer is a line that a process writes: a page, or as the last line how it went.
type answer struct {
	Page    int                  `json:"page,omitempty"`
	Of      int                  `json:"of,omitempty"`
	Read    *knowledge.Extracted `json:"read,omitempty"`
	Refused *Refused             `json:"refused,omitempty"`
	Empty   *Empty               `json:"empty,omitempty"`
	Failed  string               `json:"failed,omitempty"`
}

// Read reads a document like the function Read does. A process that dies, takes too long,
// needs too much memory, cannot work or says what makes no sense is a *Refused, and so is a
// program that may not be executed. An error of another type may pass: no process could be
// started now, or the context ended.
func (s Sandbox) Read(ctx context.Context, body []byte, hint Hint) (knowledge.Extracted, error) {
	if len(body) > knowledge.MaxBytes {
		return Read(ctx, body, hint) // is refused without being read
	}
	program := s.Program
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return knowledge.Extracted{}, fmt.Errorf("extract: find the program: %w", err)
		}
	}
	if hint.CacheDir == "" {
		hint.CacheDir = s.CacheDir
	}
	req := request{Hint: hint, Size: len(body), Memory: s.Memory, Timeout: s.Timeout}
	if req.Memory <= 0 {
		req.Memory = DefaultMemory
	}
	if req.Timeout <= 0 {
		req.Timeout = DefaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, req.Timeout)
	defer cancel()
	got, err := s.run(limited, program, req, body, hint.Progress)
	if ctx.Err() != nil {
		return knowledge.Extracted{}, ctx.Err()
	}
	if limited.Err() != nil && err != nil {
		return knowledge.Extracted{}, refuse(TooComplex, "reading the document took more than %v", req.Timeout)
	}
	return got, err
}

func (s Sandbox) run(ctx context.Context, program string, req request, body []byte, progress func(page, of int)) (knowledge.Extracted, error) {
	cmd := exec.CommandContext(ctx, program, s.Args...)
	cmd.Env = append([]string{fmt.Sprintf("GOMEMLIMIT=%d", req.Memory/4*3), "GOTRACEBACK=none", "TMPDIR=" + os.TempDir()}, s.Env...)
	cmd.WaitDelay = time.Second // for what holds the pipes when the process has gone
	said := &head{}
	cmd.Stderr = said
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return knowledge.Extracted{}, fmt.Errorf("extract: a pipe to the process: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return knowledge.Extracted{}, fmt.Errorf("extract: a pipe from the process: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return knowledge.Extracted{}, notStarted(err)
	}
	// The pipe stays open while the process works: it ends when the pipe does.
	go func() {
		head, err := json.Marshal(req)
		if err == nil {
			_, err = in.Write(append(head, '\n'))
		}
		if err == nil {
			_, _ = in.Write(body)
		}
	}()
	last, nonsense := answers(out, progress)
	endGroup(cmd)
	in.Close()
	err = cmd.Wait()
	switch {
	case nonsense != nil:
		return knowledge.Extracted{}, nonsense
	case last == nil:
		return knowledge.Extracted{}, died(err, said.String())
	}
	return last.outcome()
}

// answers reads what a process says up to the line that says how it went, nil if there is
// none.
func answers(out io.Reader, progress func(page, of int)) (*answer, error) {
	r := bufio.NewReaderSize(io.LimitReader(out, maxOutput), 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 && err == nil {
			var a answer
			if json.Unmarshal(line, &a) != nil {
				return nil, refuse(Crashed, "the process that read the document said what makes no sense")
			}
			if a.Of == 0 {
				return &a, nil
			}
			if progress != nil {
				progress(a.Page, a.Of)
			}
			continue
		}
		if err != nil {
			if len(line) > 0 {
				return nil, refuse(Crashed, "the process that read the document said too much, or broke off")
			}
			return nil, nil
		}
	}
}

// outcome is what the last line of a process means.
func (a *answer) outcome() (knowledge.Extracted, error) {
	switch {
	case a.Refused != nil:
		return knowledge.Extracted{}, a.Refused
	case a.Empty != nil:
		return knowledge.Extracted{}, a.Empty
	case a.Read != nil && len(a.Read.Blocks) > 0:
		return *a.Read, nil
	case a.Failed != "":
		return knowledge.Extracted{}, refuse(Crashed, "the process that read the document could not work: %s", a.Failed)
	}
	return knowledge.Extracted{}, refuse(Crashed, "the process that read the document said nothing")
}

// notStarted says why there is no process. Resources come back, and a program that is being
// replaced too; one that the system does not execute stays that.
func notStarted(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOEXEC) {
		return refuse(Crashed, "the process that reads documents cannot be started: %v", err)
	}
	return fmt.Errorf("extract: start the process: %w", err)
}

// died says why a process ended without a word.
func died(err error, said string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return refuse(Crashed, "the process that read the document ended without a result")
	}
	switch {
	case strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory") || strings.Contains(said, "stack overflow"):
		return refuse(TooComplex, "reading the document needed more memory than a document may")
	case killed(exit):
		return refuse(TooComplex, "reading the document needed more time or memory than a document may")
	}
	return refuse(Crashed, "the process that read the document ended: %v", exit)
}

// head keeps the beginning of what is written to it.
type head struct{ bytes.Buffer }

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	_, _ = h.Buffer.Write(p[:min(len(p), max(0, 4096-h.Len()))])
	return len(p), nil
}

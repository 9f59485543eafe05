package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/runner"
)

// terminal is the descriptor of the terminal a person sits at, if one does.
func terminal(in io.Reader) (fd int, ok bool) {
	file, isFile := in.(*os.File)
	if !isFile {
		return 0, false
	}
	fd = int(file.Fd())
	return fd, term.IsTerminal(fd)
}

// asker asks at the terminal; nil where there is none.
func (p program) asker() func(context.Context, runner.Question) (string, error) {
	if _, ok := terminal(p.in); !ok {
		return nil
	}
	return askIn(p.in, p.errOut)
}

// askIn reads answers from lines of in. It asks again after an empty one, and at the
// end of the input nobody answers.
func askIn(in io.Reader, prompts io.Writer) func(context.Context, runner.Question) (string, error) {
	lines := bufio.NewReader(in)
	return func(ctx context.Context, _ runner.Question) (string, error) {
		for {
			fmt.Fprint(prompts, "   > ")
			line, err := readLine(ctx, lines)
			switch reply := strings.TrimSpace(line); {
			case reply != "":
				return reply, nil
			case errors.Is(err, io.EOF):
				return "", runner.ErrNoAnswer
			case err != nil:
				return "", err
			}
		}
	}
}

// readLine reads a line, or stops waiting for it when ctx ends: then the reader is
// not to be used again.
func readLine(ctx context.Context, lines *bufio.Reader) (string, error) {
	return until(ctx, func() (string, error) { return lines.ReadString('\n') })
}

// until gives what a reading that cannot be stopped gives, or leaves it when ctx ends.
func until[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type got struct {
		value T
		err   error
	}
	done := make(chan got, 1)
	go func() {
		value, err := read()
		done <- got{value, err}
	}()
	select {
	case g := <-done:
		return g.value, g.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// typedPassword reads a password from the terminal without showing it.
func (p program) typedPassword(ctx context.Context, email string) (account.Secret, error) {
	fd, ok := terminal(p.in)
	if !ok {
		return "", errors.New("there is no password: set STEPLEDGER_PASSWORD, or type it at a terminal")
	}
	shown, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	defer func() { _ = term.Restore(fd, shown) }() // after a Ctrl-C too
	fmt.Fprintf(p.errOut, "password of %s: ", email)
	typed, err := until(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	fmt.Fprintln(p.errOut)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return account.Secret(typed), nil
}

package browser

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	machine := func(commands ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, c := range commands {
				if c == name {
					return "/bin/" + name, nil
				}
			}
			return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
		}
	}
	tests := map[string]struct {
		configured string
		lookPath   func(string) (string, error)
		want       string
		err        error
	}{
		"the configured one comes first":          {"my-chrome", machine("chromium", "my-chrome"), "/bin/my-chrome", nil},
		"a configured one has to be there":        {"my-chrome", machine("chromium"), "", exec.ErrNotFound},
		"chromium comes before its relatives":     {"", machine("google-chrome", "chromium"), "/bin/chromium", nil},
		"a relative will do":                      {"", machine("google-chrome-stable"), "/bin/google-chrome-stable", nil},
		"an application outside the path will do": {"", machine("/Apps/Chromium"), "/bin//Apps/Chromium", nil},
		"a machine may have none":                 {"", machine(), "", ErrNotFound},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := find(tt.configured, tt.lookPath, []string{"/Apps/Chromium"})
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestErrNotFound_IsOneLineWithWhatToType(t *testing.T) {
	t.Parallel()
	text := ErrNotFound.Error()
	if strings.Contains(text, "\n") || !strings.Contains(text, "install") || !strings.Contains(text, pathVariable) {
		t.Errorf("%q", text)
	}
}

func TestCommand_SaysWhatTheProgramSaidLast(t *testing.T) {
	t.Parallel()
	err := command(t.Context(), "go", "no-such-command")
	if err == nil || !strings.Contains(err.Error(), "go no-such-command:") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

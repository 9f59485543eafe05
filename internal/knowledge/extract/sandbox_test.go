package extract_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

func TestSandbox_ReadsAsInThisProcess(t *testing.T) {
	for name, body := range map[string]string{
		"markdown": "# Returns\n\nWithin [30 days](https://example.com/returns).", "json": `{"a":[1,2]}`,
		"no text": "   ", "a page without text": "<html><body><script>draw()</script></body></html>", "entities": `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`, "a long title": "# " + strings.Repeat("title ", 100) + "\n\nText.", "a bomb": "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f]\n",
	} {
		want, wantErr := extract.Read(t.Context(), []byte(body), extract.Hint{Name: name})
		got, err := sandbox("reader").Read(t.Context(), []byte(body), extract.Hint{Name: name})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(wantErr, err); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSandbox_WhatGoesWrongInItIsARefusal(t *testing.T) {
	for as, want := range map[string]string{
		"hog": extract.TooComplex, "loop": extract.TooComplex, "crash": extract.Crashed, "flood": extract.Crashed,
		"nonsense": extract.Crashed, "silent": extract.Crashed, "failed": extract.Crashed,
	} {
		t.Run(as, func(t *testing.T) {
			s := sandbox(as)
			s.Timeout = 2 * time.Second
			if as == "hog" || as == "flood" {
				s.Timeout = time.Minute
				s.Memory = 256 << 20
			}
			_, err := s.Read(t.Context(), []byte("text"), extract.Hint{})
			var refused *extract.Refused
			if !errors.As(err, &refused) || refused.Code != want || refused.Reason == "" {
				t.Errorf("got %v, want a refusal with the code %s", err, want)
			}
		})
	}
}

func TestSandbox_TheEndOfTheContextIsNoRefusal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := sandbox("orphan")
	s.Timeout = time.Minute
	pid := 0
	_, err := s.Read(ctx, []byte("text"), extract.Hint{Progress: func(page, _ int) {
		pid = page
		cancel()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process %d is still there: %v", pid, err)
	}
}

func TestSandbox_TellsThePages(t *testing.T) {
	var pages []int
	got, err := sandbox("pages").Read(t.Context(), []byte("text"), extract.Hint{Progress: func(page, _ int) { pages = append(pages, page) }})
	if err != nil {
		t.Fatal(err)
	}
	want := knowledge.Extracted{Type: knowledge.Text, Blocks: []knowledge.Block{{Kind: knowledge.Paragraph, Text: "done"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 2}, pages); diff != "" {
		t.Error(diff)
	}
}

// A document does not wait for a program that the system does not execute.
func TestSandbox_AProgramThatIsNoneIsARefusal(t *testing.T) {
	for name, mode := range map[string]os.FileMode{"not executable": 0o600, "no program": 0o700} {
		program := filepath.Join(t.TempDir(), "reader")
		if err := os.WriteFile(program, []byte("text"), mode); err != nil {
			t.Fatal(err)
		}
		_, err := extract.Sandbox{Program: program}.Read(t.Context(), []byte("text"), extract.Hint{})
		var refused *extract.Refused
		if !errors.As(err, &refused) || refused.Code != extract.Crashed || refused.Reason == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSandbox_AProgramThatIsNotThereIsAnError(t *testing.T) {
	s := extract.Sandbox{Program: t.TempDir() + "/none"}
	var refused *extract.Refused
	if _, err := s.Read(t.Context(), []byte("text"), extract.Hint{}); err == nil || errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
}

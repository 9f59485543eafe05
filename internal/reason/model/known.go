package model

import (
	"fmt"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// renderKnown lists pieces of documents, within the bounds of reasoning.Shown. Each begins
// with a line of ours that says where it stands; its own lines stand behind a bar, so that
// none of them passes for such a line.
func renderKnown(chunks []reasoning.Chunk) string {
	var b strings.Builder
	for i, c := range reasoning.Shown(chunks, prompt.Tokens) {
		fmt.Fprintf(&b, "[%d] %s\n", i+1, citationLine(c))
		for line := range strings.Lines(c.Text) {
			b.WriteString("| " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// citationLine says where a piece stands. What is ours comes first, and the document's own
// words are quoted: organisation, read 2026-11-02: "Handbook" › "Wards", page 4.
func citationLine(c reasoning.Chunk) string {
	line := "organisation"
	if c.Public {
		line = "public"
	}
	if !c.At.IsZero() {
		line += ", read " + c.At.UTC().Format(time.DateOnly)
	}
	line += fmt.Sprintf(": %q", prompt.Clip(c.Title, maxName))
	if section := prompt.Clip(c.Section, maxName); section != "" {
		line += fmt.Sprintf(" › %q", section)
	}
	if c.Page > 0 {
		line += fmt.Sprintf(", page %d", c.Page)
	}
	return line
}

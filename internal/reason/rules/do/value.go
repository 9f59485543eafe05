package do

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// read is a value of the page: what stands beside a name in a row or line, or the text
// that is shown.
func (d doing) read(v instruction.Value) (string, bool) {
	if v.From.Kind == "" && v.From.Name.Text == "" {
		return d.onlyText()
	}
	name := strings.TrimSpace(v.From.Name.Text)
	if name == "" {
		name = v.From.Noun
	}
	if f := d.Page.Find(*v.From, ground.ToFill); len(f.Meant) == 1 && f.Score > ground.Named && f.Meant[0].Value != "" {
		return f.Meant[0].Value, true
	}
	return beside(d.Page.Text, name)
}

// onlyText is the text of the page that is neither a label nor a control's, if there is
// only one.
func (d doing) onlyText() (string, bool) {
	var found []string
	for part := range strings.FieldsFuncSeq(d.Page.Text, func(r rune) bool { return r == '\n' || r == '\t' }) {
		part = strings.TrimSpace(part)
		control := slices.ContainsFunc(d.Page.Elements, func(e page.Element) bool { return !e.NameGuessed && !e.IsField() && text.Same(e.Label(), part) })
		if part != "" && !control {
			found = append(found, part)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// beside is the text that follows a name: in the next cell of its row, behind a colon,
// or in the next line.
func beside(page, name string) (string, bool) {
	want := text.Key(name)
	if len(want) == 0 {
		return "", false
	}
	var found []string
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j, cell := range cells {
			if !slices.Equal(text.Key(cell), want) {
				if before, after, ok := strings.Cut(cell, ":"); ok && strings.TrimSpace(after) != "" && slices.Equal(text.Key(before), want) {
					found = append(found, strings.TrimSpace(after))
				}
				continue
			}
			switch {
			case j+1 < len(cells):
				found = append(found, strings.TrimSpace(cells[j+1]))
			case i+1 < len(lines) && len(cells) == 1:
				found = append(found, strings.TrimSpace(strings.Split(lines[i+1], "\t")[0]))
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) != 1 || found[0] == "" {
		return "", false
	}
	return found[0], true
}

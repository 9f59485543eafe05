package instruction

import (
	"slices"
	"strings"
)

// Progress is what an action is for: the step of a program it belongs to, from 1 (0 is
// none), and whether that step is done when the action has worked.
type Progress struct {
	Step      int  `json:"step,omitempty"`
	Completes bool `json:"completes,omitempty"`
}

// ActsOf are the acts a text may begin to say, as the label of a control does:
// "Archive all" is a Command, "Edit" a Command or a Set. It has none if the text begins
// with no verb.
func ActsOf(text string) []Act {
	g := languageOf(text)
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return nil
	}
	var out []Act
	for _, p := range g.phrases[words[0]] {
		if p.class == "verb" && len(p.words) <= len(words) && slices.Equal(p.words, words[:len(p.words)]) {
			act, _, _ := strings.Cut(p.value, " ")
			out = append(out, Act(act))
		}
	}
	return out
}

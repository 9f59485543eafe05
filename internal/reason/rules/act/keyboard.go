package act

import (
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// keyVerbs are used with keys of the keyboard; controls are clicked and tapped as
// well.
var keyVerbs = words.Set("keyboard-verb")

var (
	keyWords  = words.Set("keyboard-says")
	aroundKey = words.Set("keyboard-around")
)

// plainKeys are keys that are meant by their name alone. Delete, Home or End are keys
// only where the user says so, since controls have these names too.
var plainKeys = text.Set("Enter Tab Escape Backspace Space ArrowUp ArrowDown ArrowLeft ArrowRight PageUp PageDown F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12")

// keyOf reads "press Enter", "hit the Delete key", "press Ctrl+S" as a key of the
// keyboard. Any other name is that of a control.
func keyOf(verb token, rest []token) (name string, ok bool) {
	rest = dropArticles(trim(rest))
	says := false
	var ws []string
	for _, t := range rest {
		switch {
		case t.mark:
		case keyWords[t.low]:
			says = true
		case aroundKey[t.low]:
		default:
			ws = append(ws, t.text)
		}
	}
	a, err := action.Parse(`press("` + strings.Join(ws, "") + `")`)
	if err != nil || len(ws) == 0 || len(ws) > 2 || a.Validate() != nil {
		return "", false
	}
	held := len([]rune(a.Text)) > 1 && strings.Contains(a.Text, "+")
	return a.Text, says || keyVerbs[verb.low] && (held || plainKeys[a.Text])
}

package do

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// maxKeys bounds how often a key is pressed to move a slider.
const maxKeys = 30

// slide moves a drawn slider with the arrow keys, as the ARIA practices for sliders have
// it, until the page shows the value. What the page does not show cannot be reached.
func (d doing) slide(e page.Element, said string) Move {
	want, err := strconv.ParseFloat(strings.TrimSpace(said), 64)
	if err != nil {
		return Unknown("set %s to %s", text.Quoted(called(e)), text.Quoted(said))
	}
	now, ok := d.slidTo(e)
	switch {
	case !ok:
		return Unknown("set the slider: I do not see what it is at")
	case now == want:
		return Done("the slider is at %s", said)
	case len(d.past) > maxKeys:
		return Unknown("set the slider to %s", said)
	case !slices.ContainsFunc(d.past, func(s reasoning.Step) bool { return s.Action.Name == action.Click && isSame(s, e) && !failed(s) }):
		return d.towards(Click(e, Likely, "I'll take the slider.", "The slider has the focus."))
	}
	key := "ArrowRight"
	if want < now {
		key = "ArrowLeft"
	}
	return d.towards(Act(action.Action{Name: action.Press, Text: key}, page.Element{}, Likely, "I'll move the slider to "+said+".", "The slider moves."))
}

// slidTo is the value of a slider: its own, or the only number of its row.
func (d doing) slidTo(e page.Element) (float64, bool) {
	for _, s := range []string{e.Value, e.Row, e.Caption} {
		if n, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			return n, true
		}
	}
	return 0, false
}

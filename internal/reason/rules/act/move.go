package act

import (
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Move is what the rules would do next for the task.
type Move struct {
	do.Move
	// lacks is the value of the task that has no field here; with lacksOption it has
	// one that does not offer it.
	lacks       field
	lacksOption bool
}

const (
	sure     = do.Sure
	likely   = do.Likely
	possible = do.Possible
)

func act(a action.Action, on page.Element, confidence float64, thought, expected string) Move {
	return Move{Move: do.Act(a, on, confidence, thought, expected)}
}

func clickOn(e page.Element, confidence float64, thought, expected string) Move {
	return Move{Move: do.Click(e, confidence, thought, expected)}
}

func done(format string, args ...any) Move { return Move{Move: do.Done(format, args...)} }

func ask(missing []string, format string, args ...any) Move {
	return Move{Move: do.Ask(missing, format, args...)}
}

func unknown(format string, args ...any) Move { return Move{Move: do.Unknown(format, args...)} }

func unseen(what, format string, args ...any) Move {
	return Move{Move: do.Unseen(what, format, args...)}
}

func unclear(pieces []string) Move {
	return unknown("understand this part of the task: %s", quotedList(pieces))
}

func finish(evidence []string, quote string) Move {
	return Move{Move: do.Finish(strings.Join(evidence, "; "), quote)}
}

func quotedList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = text.Quoted(s)
	}
	return strings.Join(out, ", ")
}

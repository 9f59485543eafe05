package reasoning

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
)

// MaxActions bounds the actions of one answer. More are ignored.
const MaxActions = 8

// ActStep is an action that an answer proposes after its first one, to be done without
// looking at the page in between.
type ActStep struct {
	Action action.Action
	// Description is for the user: Type the patient's name.
	Description string
	// CanFail: the actions after it are worth doing even if it fails.
	CanFail bool
	// For as in ActAnswer.
	For instruction.Progress
}

// ChainStep is an executed action of a chain. Index is its place in the chain, Target
// its element as it was when the chain was decided.
type ChainStep struct {
	Index  int
	Action action.Action
	Target page.Element
	// For as in ActAnswer.
	For instruction.Progress
}

// ItemVerdict is the verdict on one action of a chain.
type ItemVerdict struct {
	Index   int     `json:"index"`
	Outcome Outcome `json:"outcome" enum:"succeeded,failed,undecided"`
	Reason  string  `json:"reason,omitempty"`
}

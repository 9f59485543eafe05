package task

import (
	"slices"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// ContextAnalyzed: it was decided where the information is that the task needs (spec
// §4.7.1, steps 1 and 2), and what to do about it.
type ContextAnalyzed struct {
	Turn       int                `json:"turn"`
	By         string             `json:"by"`
	Sources    []reasoning.Source `json:"sources,omitempty"`
	Confidence float64            `json:"confidence"`
	Route      reasoning.Route    `json:"route"`

	Evidence string   `json:"evidence,omitzero" sealed:"true"`
	Missing  []string `json:"missing,omitzero" sealed:"true"`
	Search   string   `json:"search,omitzero" sealed:"true"`
}

// WebSearched: the web was searched. Hop counts the searches for one question from 1.
// Widened: the site had too little, and the whole web was searched too.
type WebSearched struct {
	Turn    int              `json:"turn"`
	Hop     int              `json:"hop"`
	For     reasoning.Wanted `json:"for"`
	Domains []string         `json:"domains,omitzero" sealed:"true"`
	Widened bool             `json:"widened,omitempty"`
	Results int              `json:"results"`
	Failed  bool             `json:"failed,omitempty"`

	Search reasoning.WebSearch `json:"search,omitzero" sealed:"true"`
}

// InformationChecked: after a search it was decided whether what is known is enough
// (spec §4.7.1, step 4), or what to do instead.
type InformationChecked struct {
	Turn       int                `json:"turn"`
	By         string             `json:"by"`
	Hops       int                `json:"hops"`
	CanProceed bool               `json:"canProceed"`
	Sources    []reasoning.Source `json:"sources,omitempty"`
	Confidence float64            `json:"confidence"`
	Route      reasoning.Route    `json:"route"`

	Reason  string   `json:"reason,omitzero" sealed:"true"`
	Missing []string `json:"missing,omitzero" sealed:"true"`
	Search  string   `json:"search,omitzero" sealed:"true"`
}

// AnalyzeContext records where the information is that the task needs. Analyzed is the
// event to append without its turn.
type AnalyzeContext struct{ Analyzed ContextAnalyzed }

// SearchTheWeb records a search. Searched is the event to append without its turn.
type SearchTheWeb struct{ Searched WebSearched }

// CheckInformation records whether what is known is enough. Checked is the event to
// append without its turn.
type CheckInformation struct{ Checked InformationChecked }

func (ContextAnalyzed) isTaskEvent()    {}
func (WebSearched) isTaskEvent()        {}
func (InformationChecked) isTaskEvent() {}
func (AnalyzeContext) isTaskCommand()   {}
func (SearchTheWeb) isTaskCommand()     {}
func (CheckInformation) isTaskCommand() {}

// maxSearches is how many searches a task remembers: the newest.
const maxSearches = 3

// searched remembers what a search found.
func searched(s State, e WebSearched) State {
	s.Searches = append(slices.Clone(s.Searches), e.Search)
	s.Searches = s.Searches[max(0, len(s.Searches)-maxSearches):]
	return s
}

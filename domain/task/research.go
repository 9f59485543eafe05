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

// KnowledgeFound: from here on the task is shown these pieces of what is known about the
// site (spec: step 1.4), and no others. For says why they were looked for: the task, or a
// value that was missing in the middle of it. Failed: nobody could be asked.
type KnowledgeFound struct {
	Turn int              `json:"turn"`
	For  reasoning.Wanted `json:"for"`
	// Known: the organisation knows anything about the site.
	Known  bool `json:"known"`
	Failed bool `json:"failed,omitempty"`
	// Chunks are the ids of the pieces, best first.
	Chunks []string `json:"chunks,omitempty"`
	// Pieces is the content reference of the pieces with their texts, "" for none.
	Pieces string `json:"pieces,omitempty"`

	// Value is what was missing.
	Value     string               `json:"value,omitzero" sealed:"true"`
	Citations []reasoning.Citation `json:"citations,omitzero" sealed:"true"`
}

// FindKnowledge records which pieces the task is shown. It does nothing if the task is
// shown the same already. Found is the event to append without its turn.
type FindKnowledge struct{ Found KnowledgeFound }

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
func (KnowledgeFound) isTaskEvent()     {}
func (AnalyzeContext) isTaskCommand()   {}
func (FindKnowledge) isTaskCommand()    {}
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

// Knowledge is what the task was last shown of what is known about its site. The zero value
// is nothing.
type Knowledge struct {
	Known     bool                 `json:"known"`
	Failed    bool                 `json:"failed,omitempty"`
	Citations []reasoning.Citation `json:"citations,omitempty"`
	// Pieces is the content reference of the pieces with their texts, "" for none.
	Pieces string `json:"pieces,omitempty"`
}

// Has reports whether the task is shown the pieces of an event already, which may have no
// reference yet.
func (k Knowledge) Has(e KnowledgeFound) bool {
	return k.Known == e.Known && k.Failed == e.Failed && slices.EqualFunc(k.Citations, e.Citations, reasoning.Citation.Equal)
}

func findKnowledge(c FindKnowledge, s State) []Event {
	if s.Knowledge.Has(c.Found) {
		return nil
	}
	c.Found.Turn = s.Turn.Number
	return []Event{c.Found}
}

package interact

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// searchWithin bounds one search.
const searchWithin = 10 * time.Second

// maxFound bounds the results of one search.
const maxFound = 5

// maySearch reports whether the web can be searched in this turn.
func (t *turn) maySearch() bool { return t.Search != nil && t.searched < reasoning.MaxSearches }

// runSearch searches the web for the agent. It is a step of its own that needs no
// client; its results are for the agent's next question only. A search that fails, or
// is not possible, is told to the agent, which then goes on without.
func runSearch(ctx context.Context, t *turn) (outcome, error) {
	query := conceal(page.Clean(t.toSearch.Action.Text), t.secrets())
	if !t.maySearch() {
		return t.withoutSearch(query)
	}
	t.searched++
	search := action.Action{Name: action.GoogleSearch, Text: query}
	if err := t.state.MayDo(search, task.Target{}, t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	err := t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: search.Name, Confidence: t.toSearch.Confidence, By: t.toSearch.By,
		Thought: conceal(t.toSearch.Thought, t.secrets()), Action: search.String(), Before: t.now.Before(),
	}})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, searchWithin)
	defer cancel()
	results, err := t.Search.Find(ctx, reasoning.WebQuery{Text: query, Max: maxFound})
	found := reasoning.WebSearch{Query: query, Results: results[:min(len(results), maxFound)]}
	if err != nil {
		found = reasoning.WebSearch{Query: query, Failed: "the search could not be made"}
	}
	t.searches = append(t.searches, found)
	step, _, _ := t.state.Pending()
	return succeeded, t.do(task.RecordVerdict{Step: step.Index, Verdict: searchVerdict(found)})
}

// searchVerdict says what was found. That a search failed is no failure of the task's
// actions, so its verdict is left open.
func searchVerdict(found reasoning.WebSearch) reasoning.Verdict {
	v := reasoning.Verdict{Confidence: 0.95, Tier: 1, By: reasoning.ByDefault, Rule: "web-search"}
	if found.Failed != "" {
		v.Undecided, v.Reason = true, "The web search did not work."
		return v
	}
	titles := make([]string, len(found.Results))
	for i, r := range found.Results {
		titles[i] = page.Cut(page.Clean(r.Title), 80)
	}
	v.Reason = strings.TrimSuffix(fmt.Sprintf("The web search found %d pages: %s", len(titles), strings.Join(titles, "; ")), ": ")
	return v
}

// withoutSearch tells the agent once that it cannot search, and then asks the user.
func (t *turn) withoutSearch(query string) (outcome, error) {
	if t.searchRefused {
		return t.ask("I would have to look that up on the web, which I cannot do here. Can you tell me: "+query+"?", []string{query})
	}
	t.searchRefused = true
	t.searches = append(t.searches, reasoning.WebSearch{Query: query, Failed: "searching the web is not possible now; go on without"})
	return succeeded, nil
}

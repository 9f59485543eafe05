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

// searchWithin bounds one search, the wider one of the whole web included.
const searchWithin = 10 * time.Second

// Bounds of what a search brings: results, and characters of each text.
const (
	maxFound   = 5
	maxTitle   = 200
	maxAddress = 300
	maxSnippet = 600
)

// wish is what the turn wants to know of the web, and why. By is the answer that asked.
type wish struct {
	query string
	why   reasoning.Wanted
	by    reasoning.ActAnswer
}

// isForPlan reports a search before the plan, which is no step of the task.
func (w wish) isForPlan() bool { return w.why == reasoning.ForContext || w.why == reasoning.ForCertain }

// maySearch reports whether the web can be searched for the next action.
func (t *turn) maySearch() bool { return t.Search != nil && t.searched < reasoning.MaxSearches }

// runSearch searches the web. Its results are for the next questions of the task only,
// and need no client. In the middle of the task it is a step of its own. A search that
// fails, or is not possible, is told to the agent, which then goes on without.
func runSearch(ctx context.Context, t *turn) (outcome, error) {
	w := t.wanted
	w.query = conceal(page.Clean(w.query), t.secrets())
	if w.isForPlan() {
		t.hops++
		_, err := t.searchWeb(ctx, w, t.hops)
		return informed, err
	}
	if !t.maySearch() {
		return t.withoutSearch(w.query)
	}
	t.searched++
	search := action.Action{Name: action.GoogleSearch, Text: w.query}
	if err := t.state.MayDo(search, task.Target{}, t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	err := t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: search.Name, Confidence: w.by.Confidence, By: w.by.By,
		Thought: conceal(w.by.Thought, t.secrets()), Action: search.String(), Before: t.now.Before(),
	}})
	if err != nil {
		return "", err
	}
	step, _, _ := t.state.Pending()
	found, err := t.searchWeb(ctx, w, t.searched)
	if err != nil {
		return "", err
	}
	return succeeded, t.do(task.RecordVerdict{Step: step.Index, Verdict: searchVerdict(found)})
}

// searchWeb searches the task's site and, where that has too little, the whole web, and
// records what was found.
func (t *turn) searchWeb(ctx context.Context, w wish, hop int) (reasoning.WebSearch, error) {
	ctx, cancel := context.WithTimeout(ctx, searchWithin)
	defer cancel()
	e := task.WebSearched{Hop: hop, For: w.why, Domains: reasoning.SiteDomains(t.now.URL)}
	q := reasoning.WebQuery{Text: w.query, Domains: e.Domains, Max: maxFound}
	results, err := t.Search.Find(ctx, q)
	if len(e.Domains) > 0 && len(results) < reasoning.FewResults {
		q.Domains, e.Widened = nil, true
		var more []reasoning.WebResult
		more, err = t.Search.Find(ctx, q)
		results = reasoning.Merged(results, more, maxFound)
	}
	found := reasoning.WebSearch{Query: w.query}
	for _, r := range results[:min(len(results), maxFound)] {
		found.Results = append(found.Results, reasoning.WebResult{
			Title: page.Cut(page.Clean(r.Title), maxTitle), URL: page.Cut(page.Clean(r.URL), maxAddress), Snippet: page.Cut(page.Clean(r.Snippet), maxSnippet),
		})
	}
	if err != nil && len(found.Results) == 0 {
		found.Failed, e.Failed = "the search could not be made", true
	}
	e.Results, e.Search = len(found.Results), found
	return found, t.do(task.SearchTheWeb{Searched: e})
}

// searchVerdict says what was found. That a search failed is no failure of the task's
// actions, so its verdict is left open.
func searchVerdict(found reasoning.WebSearch) reasoning.Verdict {
	v := reasoning.Verdict{Confidence: 0.95, Tier: 1, By: reasoning.ByDefault, Rule: "web-search"}
	if found.Failed != "" {
		v.Undecided, v.Reason = true, "The web search did not work."
		return v
	}
	v.Reason = strings.TrimSuffix(fmt.Sprintf("The web search found %d pages: %s", len(found.Results), titles(found)), ": ")
	return v
}

func titles(found reasoning.WebSearch) string {
	var out []string
	for _, r := range found.Results {
		out = append(out, page.Cut(r.Title, 80))
	}
	return strings.Join(out, "; ")
}

// withoutSearch tells the agent once that it cannot search, and then asks the user.
func (t *turn) withoutSearch(query string) (outcome, error) {
	if t.searchRefused {
		return t.ask("I would have to look that up on the web, which I cannot do here. Can you tell me: "+query+"?", []string{query})
	}
	t.refuseSearch(query)
	return succeeded, nil
}

// refuseSearch tells whoever is asked next that there was no search.
func (t *turn) refuseSearch(query string) {
	t.searchRefused = true
	t.notSearched = append(t.notSearched, reasoning.WebSearch{Query: query, Failed: "searching the web is not possible now; go on without"})
}

// searches are what the searches of the task found, and those of this turn that could
// not be made.
func (t *turn) searches() []reasoning.WebSearch {
	return append(t.state.Searches[:len(t.state.Searches):len(t.state.Searches)], t.notSearched...)
}

// findOut gets a value that the agent says is missing (spec: dynamic interrupt): from
// documents, which are shown then with the same question; else from the web where that may
// have it; else from the user.
func (t *turn) findOut(ctx context.Context, answer reasoning.ActAnswer) (outcome, error) {
	what := answer.Lacks
	if found, err := t.seekValue(ctx, what); found || err != nil {
		return sentBack, err
	}
	if t.maySearch() && !reasoning.IsPrivate(what) && !t.wasSearched(what) {
		t.wanted = wish{what, reasoning.ForMissing, answer}
		return searches, nil
	}
	question := answer.UserQuestion
	if question == "" {
		question = "To go on I need to know this: " + what + ". What is it?"
	}
	left, err := t.ask(question, []string{what})
	if t.answer.UserQuestion != "" {
		t.answer.Context = t.questionContext(answer.Thought)
	}
	return left, err
}

func (t *turn) wasSearched(query string) bool {
	for _, s := range t.searches() {
		if strings.EqualFold(s.Query, conceal(page.Clean(query), t.secrets())) {
			return true
		}
	}
	return false
}

// questionContext says with a question why it is asked, and what was looked up before.
func (t *turn) questionContext(reason string) *QuestionContext {
	c := &QuestionContext{Reasoning: conceal(reason, t.secrets())}
	if n := len(t.state.Searches); n > 0 && (t.hops > 0 || t.searched > 0) {
		c.SearchPerformed, c.SearchSummary = true, conceal(titles(t.state.Searches[n-1]), t.secrets())
	}
	return c
}

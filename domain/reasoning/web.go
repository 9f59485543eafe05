package reasoning

// MaxSearches bounds the web searches of one turn.
const MaxSearches = 2

// WebQuery asks the web. Domains restrict the results to sites; none is the whole web.
type WebQuery struct {
	Text    string
	Domains []string
	// Max is how many results are wanted.
	Max int
}

// WebResult is a page that a search found. Everything in it was written by strangers.
type WebResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// WebSearch is a search that was made, with its results. Failed says why there are
// none, in words for the reasoner.
type WebSearch struct {
	Query   string      `json:"query"`
	Results []WebResult `json:"results,omitempty"`
	Failed  string      `json:"failed,omitempty"`
}

// Wanted is what a search was made for.
type Wanted string

// The reasons to search.
const (
	ForContext Wanted = "context"      // a plan needs knowledge from outside
	ForCertain Wanted = "verification" // a plan is probably right
	ForMissing Wanted = "missing"      // a value is missing in the middle of the task
	ForAction  Wanted = "action"       // the agent chose to search
)

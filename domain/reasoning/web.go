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
	Title   string
	URL     string
	Snippet string
}

// WebSearch is a search that was made, with its results. Failed says why there are
// none, in words for the reasoner.
type WebSearch struct {
	Query   string
	Results []WebResult
	Failed  string
}

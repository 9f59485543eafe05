package reasoning

import (
	"net"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/weburl"
)

// Route is where the information goes on from that an answer says a task needs (spec
// §4.7.2, confidence routing).
type Route string

// The routes.
const (
	// Proceed: what is known is enough.
	Proceed Route = "proceed"
	// SearchWeb: the task needs knowledge from outside.
	SearchWeb Route = "search"
	// VerifyBySearch: what is known is probably enough; one search shows whether it is.
	VerifyBySearch Route = "verify"
	// AskFirst: only the user knows.
	AskFirst Route = "ask"
)

// Confidence in what is known, by its source (spec §4.7.2). From CertainEnough on it is
// acted on, from Trusted on after a verification search at most; under Trusted neither
// memory nor page are believed, and under Uncertain no search either.
const (
	CertainEnough = 0.90
	Trusted       = 0.70
	Uncertain     = 0.50
	// EnoughAfterSearch is what a search has to lead to, where the user can be asked.
	EnoughAfterSearch = 0.60
)

// MaxHops bounds the searches for one plan (spec: iterative deep dives, at most 3).
const MaxHops = 3

// Route is what to do about the information the answer says the task needs, after so
// many searches. maySearch: the web can be searched. Without a wish to search, and
// without a question, there is nothing to do but to proceed.
func (a PlanAnswer) Route(hops int, maySearch bool) Route {
	asksUser := a.Question != "" && slices.Contains(a.Sources, FromUser) && a.Confidence < CertainEnough
	wantsWeb := slices.Contains(a.Sources, FromWeb)
	search := a.Search != "" && maySearch && hops < MaxHops
	switch {
	case asksUser, a.Question != "" && (a.Confidence < Uncertain || hops > 0 && a.Confidence < EnoughAfterSearch):
		return AskFirst
	case search && (wantsWeb || a.Confidence < Trusted):
		return SearchWeb
	case search && hops == 0 && a.Confidence < CertainEnough:
		return VerifyBySearch
	}
	return Proceed
}

// SiteDomains is the site a search is restricted to first: the host of an address
// without www, or nothing where the host has no name of its own that the web knows.
func SiteDomains(address string) []string {
	u, err := weburl.Parse(address)
	if err != nil {
		return nil
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if !strings.Contains(host, ".") || net.ParseIP(host) != nil || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") {
		return nil
	}
	return []string{host}
}

// FewResults is how many results of one site are too few: the whole web is searched
// then (spec §4.7.3, adaptive domain filter).
const FewResults = 3

// Merged are two lists of results without the same address twice, the first list first,
// at most limit.
func Merged(first, more []WebResult, limit int) []WebResult {
	out := slices.Clone(first[:min(len(first), limit)])
	for _, r := range more {
		if len(out) == limit {
			break
		}
		if !slices.ContainsFunc(out, func(o WebResult) bool { return o.URL == r.URL }) {
			out = append(out, r)
		}
	}
	return out
}

package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
	known "github.com/stepledger/stepledger/domain/knowledge"
)

// problemOf is what is wrong with what somebody typed or sent, "" for any other error: it
// is shown where they typed it.
func problemOf(err error) string {
	var refused *apiError
	typed := []int{http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge}
	if errors.As(err, &refused) && slices.Contains(typed, refused.Status) {
		return refused.Message
	}
	return ""
}

type knowledgeView struct {
	api.SourcesData
	// Found is what a search found, nil without one.
	Found  *api.SearchData
	Q, URL string
	// Admin may add and remove.
	Admin   bool
	Problem string
	// Typed is the form that was refused, to be corrected.
	Typed url.Values
}

// Folders are the sources files can be sent to.
func (v knowledgeView) Folders() (all []api.SourceEntry) {
	for _, s := range v.Sources {
		if s.Kind == known.Upload {
			all = append(all, s)
		}
	}
	return all
}

// knowledge lists the sources, and what a search finds.
func (p *Pages) knowledge(r *request) error {
	return p.showKnowledge(r, http.StatusOK, knowledgeView{Q: r.URL.Query().Get("q"), URL: r.URL.Query().Get("url")})
}

func (p *Pages) showKnowledge(r *request, status int, v knowledgeView) (err error) {
	if err = p.get(r, &v.SourcesData, nil, "knowledge", "sources"); err == nil {
		v.Admin, err = p.isAdmin(r)
	}
	if err == nil && v.Q != "" {
		var found api.SearchData
		asked := url.Values{"q": {v.Q}, "url": {v.URL}, "explain": {"true"}}
		if err = p.get(r, &found, asked, "knowledge", "search"); err == nil {
			v.Found = &found
		} else if v.Problem = problemOf(err); v.Problem != "" {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return p.write(r, status, "knowledge", view{"Knowledge", "knowledge", true, v})
}

func (p *Pages) isAdmin(r *request) (bool, error) {
	var who api.SessionData
	err := p.get(r, &who, nil, "v1", "auth", "session")
	return who.Role == account.Admin, err
}

// addLink adds a site, or has the pages of one kept that the agent works on.
func (p *Pages) addLink(r *request) error {
	r.Body = http.MaxBytesReader(r.w, r.Body, maxForm)
	form := map[string]any{"url": r.FormValue("url")}
	if name := r.FormValue("name"); name != "" {
		form["name"] = name
	}
	if domains := patternsOf(r.FormValue("domains")); len(domains) > 0 {
		form["domains"] = domains
	}
	what := "seen"
	if r.FormValue("strategy") != string(known.Seen) {
		what = "index-link"
		form["strategy"] = r.FormValue("strategy")
		if language := r.FormValue("language"); language != "" {
			form["language"] = language
		}
		for _, field := range []string{"maxPages", "maxDepth", "everyHours"} {
			if typed := r.FormValue(field); typed != "" {
				form[field] = numberOr(typed)
			}
		}
	}
	body, err := json.Marshal(form)
	if err != nil {
		return err
	}
	var added api.AddedSource
	err = p.fetch(r.Request, r.token, http.MethodPost, target(nil, "knowledge", what), bytes.NewReader(body), &added)
	return p.addedTo(r, added.SourceID, err)
}

// patternsOf are host patterns as they were typed, with commas or spaces between them.
func patternsOf(typed string) []string {
	return strings.FieldsFunc(typed, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// numberOr is a number as it was typed; what is none is for the API to refuse.
func numberOr(typed string) any {
	if n, err := strconv.Atoi(typed); err == nil {
		return n
	}
	return typed
}

// addedTo leads to the source something was added to, or shows what was wrong with it.
func (p *Pages) addedTo(r *request, source string, err error) error {
	if problem := problemOf(err); problem != "" {
		return p.showKnowledge(r, http.StatusBadRequest, knowledgeView{Problem: problem, Typed: r.PostForm})
	}
	if err != nil {
		return err
	}
	http.Redirect(r.w, r.Request, "/knowledge/"+url.PathEscape(source), http.StatusSeeOther)
	return nil
}

type sourceView struct {
	Source api.SourceEntry
	api.DocumentsData
	Status   string
	Statuses []known.Status
	Admin    bool
	// Older leads to the next page of documents, "" on the last.
	Older string
}

// source shows a source and its documents.
func (p *Pages) source(r *request) (err error) {
	id, query := r.PathValue("source"), r.URL.Query()
	v := sourceView{Status: query.Get("status"), Statuses: known.Statuses}
	if err := p.get(r, &v.Source, nil, "knowledge", "sources", id); err != nil {
		return err
	}
	asked := url.Values{"status": {v.Status}, "after": {query.Get("after")}}
	if err := p.get(r, &v.DocumentsData, asked, "knowledge", "sources", id, "documents"); err != nil {
		return err
	}
	if v.Admin, err = p.isAdmin(r); err != nil {
		return err
	}
	if v.Next != "" {
		v.Older = "/knowledge/" + url.PathEscape(id) + "?" + changed(query, "after", v.Next).Encode()
	}
	return p.show(r, "source", "knowledge", v.Source.Name, v)
}

// recrawl has the pages of a source visited anew.
func (p *Pages) recrawl(r *request) error {
	id := r.PathValue("source")
	return p.change(r, "/knowledge/"+url.PathEscape(id), "knowledge", "sources", id, "crawl")
}

// removeSource removes a source for ever.
func (p *Pages) removeSource(r *request) error {
	return p.change(r, "/knowledge", "knowledge", "sources", r.PathValue("source"), "remove")
}

// removeDocument removes a document for ever.
func (p *Pages) removeDocument(r *request) error {
	id := r.PathValue("source")
	return p.change(r, "/knowledge/"+url.PathEscape(id), "knowledge", "sources", id, "documents", r.PathValue("document"), "remove")
}

// change posts to the API and leads to a page that shows what came of it.
func (p *Pages) change(r *request, then string, path ...string) error {
	if err := p.fetch(r.Request, r.token, http.MethodPost, target(nil, path...), nil, nil); err != nil {
		return err
	}
	http.Redirect(r.w, r.Request, then, http.StatusSeeOther)
	return nil
}

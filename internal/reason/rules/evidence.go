package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// complaint is what the page or the client reports as an error, "" if nothing.
// It beats every word of success on the same page.
func (v *view) complaint() string {
	if v.index.complaint == nil {
		says := v.findComplaint()
		v.index.complaint = &says
	}
	return *v.index.complaint
}

func (v *view) findComplaint() string {
	for _, a := range v.page.Alerts {
		if a.Kind == page.AlertError || a.Kind != page.AlertSuccess && lexicon.For(v.page.Language).Polarity(a.Text) == lexicon.Failed {
			return a.Text
		}
	}
	if len(v.errors) > 0 {
		return v.errors[0]
	}
	return errorPage(v.page)
}

// errorPage is the title or heading of a page that shows nothing but an error:
// "500 Internal Server Error", "Page not found".
func errorPage(p page.Page) string {
	for _, s := range append([]string{p.Title}, p.Headings...) {
		ws := strings.Join(slices.DeleteFunc(words(s), func(w string) bool {
			return len(w) == 3 && (w[0] == '4' || w[0] == '5') && digits(w) == w || w == "http"
		}), " ")
		if lexicon.For(p.Language).Is(lexicon.ErrorPage, ws) {
			return s
		}
	}
	return ""
}

// proof looks for a sign that the form was accepted: a message that says so, or
// the value shown as a result. The values inside the form itself prove nothing.
func (v *view) proof(p part, found []slot) (proof, quote string, ok bool) {
	for _, a := range v.page.Alerts {
		if a.Kind == page.AlertSuccess && !lexicon.For(v.page.Language).Complains(a.Text) {
			return "the page says " + quoted(a.Text), a.Text, true
		}
	}
	if len(v.successes) > 0 {
		return "the page says " + quoted(v.successes[0]), v.successes[0], true
	}
	if f, ok := mainField(p); ok && len(found) > 0 && v.emptied(found) && v.showsResult(f.value) {
		return quoted(f.value) + " is shown on the page", f.value, true
	}
	if len(found) > 0 {
		return "", "", false
	}
	if p.action == "login" || p.action == "" && hasPassword(p) {
		return "you are logged in: the login form is gone", "", true
	}
	for _, s := range v.results() {
		if lexicon.For(v.page.Language).Polarity(s) == lexicon.Succeeded {
			return "the page says " + quoted(s), s, true
		}
	}
	if f, ok := mainField(p); ok && v.showsResult(f.value) {
		return quoted(f.value) + " is shown on the page", f.value, true
	}
	return "", "", false
}

// emptied reports a form that stays for the next entry: it can be read that its fields
// hold nothing any more.
func (v *view) emptied(found []slot) bool {
	return !slices.ContainsFunc(found, func(s slot) bool {
		return s.on.Role != "textbox" || s.on.State.Secret || s.on.State.Invalid || s.on.Value != ""
	})
}

func hasPassword(p part) bool {
	return slices.ContainsFunc(p.fields, func(f field) bool { return isSecret(f.name) })
}

// results are the texts that head a page of results or give notice.
func (v *view) results() []string {
	out := slices.Clone(v.page.Headings)
	for _, a := range v.page.Alerts {
		out = append(out, a.Text)
	}
	return out
}

// mainField is the value by which a person would recognise the new entry.
func mainField(p part) (field, bool) {
	for _, f := range p.fields {
		if k := labelKey(f.name); f.kind == typed && (len(k) == 0 || slices.Contains(k, "name") || slices.Contains(k, "title") || slices.Contains(k, "firstname")) {
			return f, true
		}
	}
	for _, f := range p.fields {
		if f.kind == typed && len(f.value) > 1 && !isSecret(f.name) {
			return f, true
		}
	}
	return field{}, false
}

// showsResult reports whether a value stands on the page outside of fields.
func (v *view) showsResult(value string) bool {
	ws := words(value)
	if len(ws) == 0 {
		return false
	}
	shows := func(text string) bool { return contains(v.words(text), ws) }
	if shows(v.page.Text) || slices.ContainsFunc(v.results(), shows) {
		return true
	}
	return slices.ContainsFunc(v.page.Elements, func(e page.Element) bool {
		return !isField(e) && !e.State.Hidden && (shows(e.Name) || shows(e.Group))
	})
}

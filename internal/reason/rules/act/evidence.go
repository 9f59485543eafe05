package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// Complaint returns the error that the page or the client reports, "" if there is
// none. It outweighs any success message on the same page.
func (v *View) Complaint() string {
	if v.index.complaint == nil {
		says := findComplaint(v)
		v.index.complaint = &says
	}
	return *v.index.complaint
}

func findComplaint(v *View) string {
	for _, a := range v.page.Alerts {
		if a.Kind == page.AlertError || a.Kind != page.AlertSuccess && lexicon.For(v.page.Language).Polarity(a.Text) == lexicon.Failed {
			return a.Text
		}
	}
	if len(v.errors) > 0 {
		return v.errors[0]
	}
	return text.ErrorPage(v.page)
}

// proofOfSending looks for a sign that the form was accepted: a success message, or
// the entered value shown as a result. The values inside the form itself prove
// nothing.
func proofOfSending(v *View, p part, found []slot) (proof, quote string, ok bool) {
	for _, a := range v.page.Alerts {
		if a.Kind == page.AlertSuccess && !lexicon.For(v.page.Language).Complains(a.Text) {
			return "the page says " + text.Quoted(a.Text), a.Text, true
		}
	}
	if len(v.successes) > 0 {
		return "the page says " + text.Quoted(v.successes[0]), v.successes[0], true
	}
	if f, ok := mainField(p); ok && len(found) > 0 && emptied(found) && showsResult(v, f.value) {
		return text.Quoted(f.value) + " is shown on the page", f.value, true
	}
	if len(found) > 0 {
		return "", "", false
	}
	if signsIn := p.action == "login" || p.action == "" && hasPassword(p); signsIn && !v.page.Partial() {
		return "you are logged in: the login form is gone", "", true
	}
	for _, s := range noticeTexts(v) {
		if lexicon.For(v.page.Language).Polarity(s) == lexicon.Succeeded {
			return "the page says " + text.Quoted(s), s, true
		}
	}
	if f, ok := mainField(p); ok && showsResult(v, f.value) {
		return text.Quoted(f.value) + " is shown on the page", f.value, true
	}
	return "", "", false
}

// emptied reports whether the fields of a form that is still there were cleared.
func emptied(found []slot) bool {
	return !slices.ContainsFunc(found, func(s slot) bool {
		return s.on.Role != "textbox" || s.on.State.Secret || s.on.State.Invalid || s.on.Value != ""
	})
}

func hasPassword(p part) bool {
	return slices.ContainsFunc(p.fields, func(f field) bool { return isSecret(f.name) })
}

// noticeTexts are the headings and alerts of the page.
func noticeTexts(v *View) []string {
	out := slices.Clone(v.page.Headings)
	for _, a := range v.page.Alerts {
		out = append(out, a.Text)
	}
	return out
}

var recognised = words.Set("recognised")

// mainField is the value by which a person would recognise the new entry.
func mainField(p part) (field, bool) {
	for _, f := range p.fields {
		if k := text.LabelKey(f.name); f.kind == typed && (len(k) == 0 || slices.ContainsFunc(k, func(w string) bool { return recognised[w] })) {
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

// showsResult reports whether a value is on the page outside of fields.
func showsResult(v *View, value string) bool {
	ws := text.Words(value)
	if len(ws) == 0 {
		return false
	}
	shows := func(s string) bool { return text.Contains(v.words(s), ws) }
	if shows(v.page.Text) || slices.ContainsFunc(noticeTexts(v), shows) {
		return true
	}
	return slices.ContainsFunc(v.page.Elements, func(e page.Element) bool {
		return !e.IsField() && !e.State.Hidden && (shows(e.Name) || shows(e.Group))
	})
}

package extract

import (
	"net/url"
	"strings"
)

// maxTarget is the longest address that a link keeps.
const maxTarget = 300

// nowhere is the host of relative links in a page without an address, where a library
// insists on one.
const nowhere = "nowhere.invalid"

// target returns the address of a link that may be followed, "" for others: those within
// the document, those that are data or scripts, and relative ones of a document without
// an address of its own.
func (d *document) target(ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || ref[0] == '#' || len(ref) > maxTarget {
		return ""
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ""
	}
	if d.hint.BaseURL != "" {
		base, err := url.Parse(d.hint.BaseURL)
		if err != nil {
			return ""
		}
		u = base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" || u.User != nil || u.Host == nowhere {
		return ""
	}
	return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(u.String())
}

// writeLink writes a link, or its text if there is no target or the text is the target.
func writeLink(b *strings.Builder, text, target string) {
	shown := strings.TrimSpace(text)
	if target == "" || shown == "" || shown == target || strings.Contains(shown, "](") {
		b.WriteString(text)
		return
	}
	lead, trail, _ := strings.Cut(text, shown)
	b.WriteString(lead + "[" + strings.NewReplacer("[", "(", "]", ")").Replace(shown) + "](" + target + ")" + trail)
}

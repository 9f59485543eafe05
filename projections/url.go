package projections

import (
	"strings"

	"github.com/stepledger/stepledger/domain/secret"
)

// BareURL is a URL as read models keep and show it: without what it carries that
// is nobody's business (secret.CutURLs), and without the fragment. It works on the
// text, so what no parser takes loses them too.
func BareURL(raw string) string {
	bare, _, _ := strings.Cut(secret.CutURLs(raw), "#")
	before, rest, ok := strings.Cut(bare, "//")
	if !ok || strings.ContainsAny(before, `/\?`) {
		return bare // it names no host
	}
	host := rest
	if end := strings.IndexAny(rest, `/\?`); end >= 0 {
		host = rest[:end]
	}
	return before + "//" + rest[strings.LastIndex(host, "@")+1:]
}

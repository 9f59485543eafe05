package projections

import (
	"strings"

	"github.com/stepledger/stepledger/domain/secret"
)

// BareURL returns a URL as read models show it: without secrets (secret.CutURLs) and
// fragment. It works on the text, so it also handles URLs that cannot be parsed.
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

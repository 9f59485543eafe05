package projections

import "strings"

// BareURL is a URL as read models keep and show it: without user and password,
// and without the fragment, which is where single sign-on leaves its tokens. It
// works on the text, so what no parser takes loses them too.
func BareURL(raw string) string {
	bare, _, _ := strings.Cut(raw, "#")
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

package record

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
)

// normal puts the made-up origin in place of the server's, and takes what a page
// was told to be like out of its addresses: no real page says beforehand that its
// buttons are dead.
func (s *site) normal(text string) string {
	host, made := strings.TrimPrefix(s.origin, "http://"), strings.TrimPrefix(verdicts.Origin, "http://")
	text = strings.NewReplacer(host, made, url.QueryEscape(host), made).Replace(text)
	for _, p := range s.told {
		text = p.last.ReplaceAllString(p.first.ReplaceAllString(text, "?"), "")
	}
	return text
}

// parameter finds a parameter in addresses as they are written in JSON and in
// HTML: before other parameters, and after them or alone.
type parameter struct{ first, last *regexp.Regexp }

// and is how two parameters are joined.
const and = `(?:&amp;|&|\\u0026amp;|\\u0026)`

// told are the parameters of a case's query. An app's are its own: "?q=amira".
func told(p verdicts.Page, c verdicts.Case) []parameter {
	if p.App != "" {
		return nil
	}
	var all []parameter
	for pair := range strings.SplitSeq(strings.TrimPrefix(c.Query, "?"), "&") {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			continue
		}
		it := either(name) + "=" + either(value)
		all = append(all, parameter{regexp.MustCompile(`\?` + it + and), regexp.MustCompile(`(?:\?|` + and + `)` + it + `\b`)})
	}
	return all
}

// either matches a text as it is and as it is escaped.
func either(text string) string {
	return "(?:" + regexp.QuoteMeta(text) + "|" + regexp.QuoteMeta(url.QueryEscape(text)) + ")"
}

var (
	settled = regexp.MustCompile(`"stabilizationTime":(\d+)`)
	zone    = regexp.MustCompile(`"timezone":"[^"]*",`)
)

// evened is a body with what differs from one recording to the next made alike:
// the origin, the time it took to settle, which is rounded up to a second, and the
// machine's time zone, which is left out.
func (s *site) evened(body []byte) (json.RawMessage, error) {
	text := zone.ReplaceAllString(s.normal(string(body)), "")
	text = settled.ReplaceAllStringFunc(text, func(found string) string {
		ms, _ := strconv.Atoi(settled.FindStringSubmatch(found)[1])
		return `"stabilizationTime":` + strconv.Itoa((ms+999)/1000*1000)
	})
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	return compact.Bytes(), err
}

package record

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/internal/verdicts"
)

// normal puts the made-up origin in place of the server's, and takes the fault a
// page was told to have out of its addresses: no real page says beforehand that
// its buttons are dead.
func (s *site) normal(text string) string {
	host, made := strings.TrimPrefix(s.origin, "http://"), strings.TrimPrefix(verdicts.Origin, "http://")
	text = strings.NewReplacer(host, made, url.QueryEscape(host), made).Replace(text)
	return toldLast.ReplaceAllString(toldFirst.ReplaceAllString(text, "?"), "")
}

// The parameter fault of an address, as it is written in JSON and in HTML: before
// other parameters, and after them or alone.
var (
	toldFirst = regexp.MustCompile(`\?fault=\w*(?:&amp;|&|\\u0026amp;|\\u0026)`)
	toldLast  = regexp.MustCompile(`(?:\?|&amp;|&|\\u0026amp;|\\u0026)fault=\w*`)
)

var settled = regexp.MustCompile(`"stabilizationTime":(\d+)`)

// evened is a body with what differs from one recording to the next made alike:
// the origin, and the time it took to settle, which is rounded up to a second.
func (s *site) evened(body []byte) (json.RawMessage, error) {
	text := settled.ReplaceAllStringFunc(s.normal(string(body)), func(found string) string {
		ms, _ := strconv.Atoi(settled.FindStringSubmatch(found)[1])
		return `"stabilizationTime":` + strconv.Itoa((ms+999)/1000*1000)
	})
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	return compact.Bytes(), err
}

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

// normal puts the made-up origin in place of the server's.
func (s *site) normal(text string) string {
	host, made := strings.TrimPrefix(s.origin, "http://"), strings.TrimPrefix(verdicts.Origin, "http://")
	return strings.NewReplacer(host, made, url.QueryEscape(host), made).Replace(text)
}

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

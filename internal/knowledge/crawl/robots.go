package crawl

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Token is the name by which robots.txt may address this crawler.
const Token = "Stepledger"

// maxRobots is how much of a robots.txt is read (RFC 9309, section 2.5).
const maxRobots = 500 << 10

// robotsFile is what a robots.txt says to one crawler, by RFC 9309. Libraries that read
// it take a rule with a wildcard to match anywhere in a path, a name to be met by its
// beginning, and give a whole file up for one bad line; so the file is read here.
type robotsFile struct {
	rules    []robotsRule // the longest first, of equals those that allow
	delay    time.Duration
	sitemaps []string
	public   bool // it came from a public address
}

type robotsRule struct {
	allow   bool
	pattern string // with its percent escapes in one form
}

// robotsGroup collects the lines of one crawler.
type robotsGroup struct {
	named bool
	rules []robotsRule
	delay time.Duration
}

// parseRobots reads a robots.txt for the crawler named Token. What it does not
// understand it passes over, line by line.
func parseRobots(text []byte) robotsFile {
	if len(text) > maxRobots {
		text = text[:maxRobots]
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	var p robotsParser
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		if key, value, ok := strings.Cut(line, ":"); ok {
			p.line(strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value))
		}
	}
	group := p.any
	if p.ours.named {
		group = p.ours
	}
	slices.SortStableFunc(group.rules, func(a, b robotsRule) int {
		return cmp.Or(cmp.Compare(len(b.pattern), len(a.pattern)), -compareBool(a.allow, b.allow))
	})
	return robotsFile{rules: group.rules, delay: group.delay, sitemaps: p.sitemaps}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

type robotsParser struct {
	ours, any robotsGroup
	sitemaps  []string
	// Which groups the present lines are of; naming says that the last line was a name,
	// so that another one joins it.
	inOurs, inAny, naming bool
}

func (p *robotsParser) line(key, value string) {
	switch key {
	case "user-agent", "useragent":
		if !p.naming {
			p.inOurs, p.inAny, p.naming = false, false, true
		}
		switch {
		case value == "*":
			p.inAny, p.any.named = true, true
		case strings.EqualFold(productToken(value), Token):
			p.inOurs, p.ours.named = true, true
		}
	case "allow", "disallow":
		p.naming = false
		// An empty path is no rule.
		if value != "" {
			p.add(robotsRule{allow: key == "allow", pattern: oneForm(value)})
		}
	case "crawl-delay":
		p.naming = false
		if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
			p.slower(time.Duration(min(s, math.MaxInt32) * float64(time.Second)))
		}
	case "sitemap":
		if value != "" && len(p.sitemaps) < maxSitemaps {
			p.sitemaps = append(p.sitemaps, value)
		}
	}
}

func (p *robotsParser) add(r robotsRule) {
	if r.pattern[0] != '/' && r.pattern[0] != '*' {
		r.pattern = "/" + r.pattern
	}
	if p.inOurs {
		p.ours.rules = append(p.ours.rules, r)
	}
	if p.inAny {
		p.any.rules = append(p.any.rules, r)
	}
}

func (p *robotsParser) slower(d time.Duration) {
	if p.inOurs {
		p.ours.delay = max(p.ours.delay, d)
	}
	if p.inAny {
		p.any.delay = max(p.any.delay, d)
	}
}

// productToken is a name without its version.
func productToken(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && r != '-' && r != '_'
	})
	if end < 0 {
		return s
	}
	return s[:end]
}

// allows says whether a path with its query may be fetched.
func (r robotsFile) allows(path string) bool {
	if path == "/robots.txt" {
		return true
	}
	path = oneForm(path)
	for _, rule := range r.rules {
		if robotsMatch(rule.pattern, path) {
			return rule.allow
		}
	}
	return true
}

// robotsMatch matches the beginning of a path; * stands for any characters, $ at the
// end of a pattern for the end of the path.
func robotsMatch(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, pieces[0])
	if !ok {
		return false
	}
	last := len(pieces) - 1
	for i, piece := range pieces[1:] {
		// The last piece has to stand at the end, the others as early as can be.
		if whole && i+1 == last {
			return strings.HasSuffix(rest, piece)
		}
		at := strings.Index(rest, piece)
		if at < 0 {
			return false
		}
		rest = rest[at+len(piece):]
	}
	return !whole || rest == ""
}

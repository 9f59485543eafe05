package secret

import (
	"net/url"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// CutURLs replaces the secrets that URLs in a text carry by Mask: values of
// parameters with the name of a secret, session ids, signatures, and tokens anywhere.
// A user and password before the host are removed without a trace. It works on the
// text and needs no parser, so it also handles invalid, relative and nested URLs, and
// HTML and JSON that contain them. Two URLs that differ in more than their secrets
// stay different.
func CutURLs(text string) string {
	if !mayCarry(text) {
		return text // as nearly always
	}
	c := cutter{text: text}
	c.run()
	return c.result()
}

// InURLs returns the values CutURLs cuts, decoded, as far as they are long enough to
// be looked for in other texts.
func InURLs(text string) []string {
	c := cutter{text: text}
	c.run()
	var found []string
	for _, v := range c.found {
		if v = unescape(v); len(v) >= anywhere && !strings.Contains(v, Mask) && !slices.Contains(found, v) {
			found = append(found, v)
		}
	}
	return found
}

// cutter goes through a text once.
type cutter struct {
	text  string
	out   strings.Builder
	done  int
	found []string
	host  int  // where the last address's user or host begins
	value int  // where the parameter last looked at ends
	coded bool // it has a percent sign
}

// mayCarry reports whether a text has anything that CutURLs looks at.
func mayCarry(text string) bool {
	slashes := 0
	for i := range len(text) {
		if !looked[text[i]] {
			continue
		}
		switch text[i] {
		case '/':
			if slashes++; slashes > 1 {
				return true
			}
		case 'J':
			if i >= 2 && text[i-2:i] == "ey" {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// looked are the bytes the cutter stops at: of a token the last of the three it begins
// with, which is rarer than the first.
var looked = [256]bool{'@': true, '=': true, 'J': true, '/': true}

func (c *cutter) run() {
	text := c.text
	from := 0 // what was cut before it is not looked at again
	for i := 0; i < len(text); i++ {
		if !looked[text[i]] {
			continue
		}
		at := i
		switch text[i] {
		case '@':
			c.userInfo(i)
		case '=':
			if i+1 < len(text) && !ends[text[i+1]] { // or it is one of HTML's, with quotes
				i = max(i, c.parameter(i))
			}
		case 'J':
			if i >= 2 && text[i-2:i] == "ey" {
				i = max(i, c.token(i-2))
			}
		case '/':
			if strings.HasSuffix(text[from:i], ":/") || strings.HasSuffix(text[from:i], `:\/\`) {
				c.host = i + 1
			}
			i = max(i, c.segment(i))
		}
		if i > at {
			from = i + 1
		}
	}
}

// token cuts a JSON web token that begins at i.
func (c *cutter) token(i int) int {
	if i > 0 && (inName(c.text[i-1]) && c.text[i-1] != '.' || i < c.done) {
		return i
	}
	n := jwtAt(c.text[i:])
	if n == 0 {
		return i
	}
	c.replace(i, i+n)
	return i + n - 1
}

func (c *cutter) result() string {
	if c.done == 0 {
		return c.text
	}
	return c.out.String() + c.text[c.done:]
}

func (c *cutter) replace(from, to int) { c.put(from, to, Mask) }

func (c *cutter) put(from, to int, with string) {
	c.found = append(c.found, c.text[from:to])
	c.out.WriteString(c.text[c.done:from])
	c.out.WriteString(with)
	c.done = to
}

// longestUser bounds a user and password, in bytes.
const longestUser = 512

// userInfo cuts what is between the slashes of a URL and the at sign before its host.
func (c *cutter) userInfo(at int) {
	start := max(c.host, c.done)
	if c.host == 0 || at-start > longestUser || strings.ContainsAny(c.text[start:at], "/\\?# \t\r\n\"'<>") {
		return
	}
	if _, password, ok := strings.Cut(c.text[start:at], ":"); ok {
		c.found = append(c.found, password)
	}
	c.out.WriteString(c.text[c.done:start])
	c.done = at + 1
}

// inName and endsValue classify the bytes of parameters in a text.
func inName(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b == '%' || b == '[' || b == ']' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func endsValue(b byte) bool { return ends[b] }

var ends = func() (set [256]bool) {
	for b := range set {
		set[b] = b <= ' ' || strings.IndexByte("\"'<>&#`", byte(b)) >= 0
	}
	return set
}()

// longestParameter bounds the name of a parameter, in bytes.
const longestParameter = 80

// parameter cuts the value after the equals sign at i if it is secret, and returns
// the index of its last byte.
func (c *cutter) parameter(i int) int {
	if i >= c.value {
		c.value, c.coded = i+1, false
		for ; c.value < len(c.text) && !endsValue(c.text[c.value]); c.value++ {
			c.coded = c.coded || c.text[c.value] == '%'
		}
	}
	to := c.value
	value := c.text[i+1 : to]
	if value == "" || strings.HasPrefix(value, Mask) { // as of all attributes of HTML
		return i
	}
	from := i
	for from > c.done && inName(c.text[from-1]) && i-from < longestParameter {
		from--
	}
	if from == i {
		return i
	}
	name := plainName(c.text[from:i])
	switch address := from > 0 && strings.IndexByte("?&#;", c.text[from-1]) >= 0 || strings.HasPrefix(c.text[from:i], "u0026"); {
	case isSecretParameter(name, value, address):
		c.replace(i+1, to)
		return to - 1
	case c.coded:
		return c.nested(i+1, to)
	}
	return i
}

// nested cuts a URL that is the value of a parameter.
func (c *cutter) nested(from, to int) int {
	n := cutter{text: unescape(c.text[from:to])}
	n.run()
	if n.done == 0 {
		return to - 1
	}
	c.out.WriteString(c.text[c.done:from])
	c.out.WriteString(strings.ReplaceAll(url.QueryEscape(n.result()), url.QueryEscape(Mask), Mask))
	c.done, c.found = to, append(c.found, n.found...)
	return to - 1
}

// plainName decodes the name of a parameter.
func plainName(s string) string {
	for _, escape := range [...]string{"u0026", "u003f", "u0023"} { // what is left of \u0026 in JSON
		s = strings.TrimPrefix(s, escape)
	}
	return strings.ToLower(unescape(s))
}

// unescape is url.QueryUnescape for texts with literal percent signs.
func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s) && isHex(rune(s[i+1])) && isHex(rune(s[i+2])):
			b.WriteByte(byte(digit(rune(s[i+1]))<<4 | digit(rune(s[i+2]))))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Names of parameters beside those a person would call secret.
var (
	secretParameters = words("auth authorization sig signature hmac sid sessionid session_id session-id sessid phpsessid jsessionid aspsessionid asp.net_sessionid " +
		"awsaccesskeyid x-amz-signature x-amz-credential x-amz-security-token x-goog-signature x-goog-credential assertion client_assertion samlresponse samlrequest " +
		"ticket code_verifier code_challenge credential credentials oauth_verifier id_token_hint login_ticket magic magic_link invite_code skey sas_token")
	// With these names only values that look random count.
	needsRandomValue = words("code key session sess state nonce hash s t k h sc at rt ott jwt link login verify reset confirm confirmation activation invite invitation unlock challenge cookie policy data payload q_token")
)

// Lengths from which a doubtful value counts.
const (
	shortRandom = 8
	shortCode   = 6
)

// longestValue is how much of a value is looked at, in bytes.
const longestValue = 4096

// isSecretParameter judges a parameter of a URL, or of a text that looks like one.
func isSecretParameter(name, value string, address bool) bool {
	value = value[:min(len(value), longestValue)]
	short := name[strings.LastIndexAny(name, "[.$")+1:]
	short = strings.TrimRight(short, "]")
	switch {
	case isToken(value), vocabulary.Secret(name), address && (secretParameters[name] || secretParameters[short]):
		return true
	case !address || !needsRandomValue[name] && !needsRandomValue[short]:
		return false
	}
	return looksRandom(value, shortRandom) || name == "code" && len(value) >= shortCode && strings.Trim(value, "0123456789") == "" ||
		strings.HasPrefix(name, "sess") && len(value) >= shortCode
}

// linkWords stand before the token in a link that was sent to a user.
var linkWords = words("reset reset-password password-reset resetpassword verify verification verify-email confirm confirmation activate activation invite invitation invitations magic magic-link login-link token tokens unsubscribe recover recovery")

// segment cuts the part of a path after the slash at i if it is the token of such a
// link.
func (c *cutter) segment(i int) int {
	to := i + 1
	for to < len(c.text) && !endsValue(c.text[to]) && c.text[to] != '/' && c.text[to] != '?' && c.text[to] != ';' {
		to++
	}
	if to-i-1 < shortToken || !looksRandom(c.text[i+1:to], shortToken) || i+1 < c.done {
		return i
	}
	from := strings.LastIndexAny(c.text[:i], "/ \"'<>") + 1
	if !linkWords[strings.ToLower(c.text[from:i])] {
		return i
	}
	c.replace(i+1, to)
	return to - 1
}

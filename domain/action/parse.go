package action

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain"
)

// maxInput bounds what Parse reads: the longest text with every character escaped,
// and the rest.
const maxInput = 13 * (MaxText + MaxTarget)

// Parse reads exactly one action. Whitespace around tokens and the case of the name
// do not matter. Texts are in double or single quotes and may contain raw line breaks
// but no other control characters; ids may be unquoted if they are digits or an
// identifier. Anything left over, such as a second action or a semicolon, is an
// error.
//
// The error is a *domain.Error of kind Invalid with the byte offset of the fault in
// Details["offset"].
func Parse(s string) (Action, error) {
	if len(s) > maxInput {
		return Action{}, refuse(maxInput, "the action is longer than %d bytes", maxInput)
	}
	if at := invalidUTF8(s); at >= 0 {
		return Action{}, refuse(at, "the action is not valid UTF-8")
	}
	p := parser{in: s}
	a, err := p.action()
	if err != nil {
		return Action{}, err
	}
	if err := a.Validate(); err != nil {
		return Action{}, err
	}
	return a, nil
}

// refuse returns an error about the input at a byte offset.
func refuse(at int, format string, args ...any) *domain.Error {
	e := domain.Errorf(domain.Invalid, domain.CodeActionFormat, "%s at offset %d", fmt.Sprintf(format, args...), at)
	e.Details = map[string]any{"offset": at}
	return e
}

func invalidUTF8(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// argument is one argument as written: quoted text, or a bare word.
type argument struct {
	text   string
	quoted bool
	at     int
}

type parser struct {
	in  string
	pos int
}

func (p *parser) action() (Action, error) {
	name, err := p.name()
	if err != nil {
		return Action{}, err
	}
	at := p.pos
	args, err := p.arguments()
	if err != nil {
		return Action{}, err
	}
	p.space()
	if p.pos < len(p.in) {
		return Action{}, refuse(p.pos, "there is more after the action: exactly one action is expected")
	}
	return build(name, args, at)
}

func (p *parser) space() {
	rest := strings.TrimLeftFunc(p.in[p.pos:], unicode.IsSpace)
	p.pos = len(p.in) - len(rest)
}

func (p *parser) name() (Name, error) {
	p.space()
	start := p.pos
	for p.pos < len(p.in) && isLetter(p.in[p.pos]) {
		p.pos++
	}
	word := p.in[start:p.pos]
	if word == "" {
		return "", refuse(start, "an action name is expected")
	}
	for _, f := range grammar {
		if strings.EqualFold(string(f.name), word) {
			return f.name, nil
		}
	}
	return "", refuse(start, "%q is no action", word)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (p *parser) arguments() ([]argument, error) {
	if !p.take('(') {
		return nil, refuse(p.pos, "'(' is expected")
	}
	if p.take(')') {
		return nil, nil
	}
	var args []argument
	for {
		a, err := p.argument()
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		switch {
		case p.take(','):
		case p.take(')'):
			return args, nil
		default:
			return nil, refuse(p.pos, "',' or ')' is expected")
		}
	}
}

// take skips whitespace and consumes c if it is next.
func (p *parser) take(c byte) bool {
	p.space()
	if p.pos < len(p.in) && p.in[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *parser) argument() (argument, error) {
	p.space()
	at := p.pos
	if at == len(p.in) {
		return argument{}, refuse(at, "the action ends inside its arguments")
	}
	if q := p.in[at]; q == '"' || q == '\'' {
		p.pos++
		text, err := p.quoted(q)
		return argument{text: text, quoted: true, at: at}, err
	}
	end := strings.IndexFunc(p.in[at:], func(r rune) bool {
		return r == ',' || r == ')' || r == '(' || unicode.IsSpace(r)
	})
	if end < 0 {
		end = len(p.in) - at
	}
	if end == 0 {
		return argument{}, refuse(at, "an argument is expected")
	}
	p.pos = at + end
	return argument{text: p.in[at:p.pos], at: at}, nil
}

// quoted reads up to the closing quote q; the opening one is already taken.
func (p *parser) quoted(q byte) (string, error) {
	open := p.pos - 1
	var b strings.Builder
	for p.pos < len(p.in) {
		r, n := utf8.DecodeRuneInString(p.in[p.pos:])
		switch {
		case r == rune(q):
			p.pos++
			return b.String(), nil
		case r == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
			p.pos += n
		}
	}
	return "", refuse(open, "the quoted text that begins here has no end")
}

var escapes = map[byte]rune{
	'"': '"', '\'': '\'', '\\': '\\', '/': '/',
	'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f',
}

// escape reads one escape sequence; a surrogate pair counts as one.
func (p *parser) escape() (rune, error) {
	at := p.pos
	p.pos++
	if p.pos == len(p.in) {
		return 0, refuse(at, "the action ends inside an escape")
	}
	c := p.in[p.pos]
	p.pos++
	if r, ok := escapes[c]; ok {
		return r, nil
	}
	if c != 'u' {
		return 0, refuse(at, "unknown escape")
	}
	hi, ok := p.hex4()
	if !ok {
		return 0, refuse(at, "\\u wants four hex digits")
	}
	if hi < 0xd800 || hi > 0xdfff {
		return hi, nil
	}
	if strings.HasPrefix(p.in[p.pos:], `\u`) && hi <= 0xdbff {
		p.pos += 2
		if lo, ok := p.hex4(); ok && lo >= 0xdc00 && lo <= 0xdfff {
			return (hi-0xd800)<<10 + (lo - 0xdc00) + 0x10000, nil
		}
	}
	return 0, refuse(at, "half a surrogate pair")
}

func (p *parser) hex4() (rune, bool) {
	if p.pos+4 > len(p.in) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.in[p.pos:p.pos+4], 16, 16)
	p.pos += 4
	return rune(n), err == nil
}

var (
	bareID  = regexp.MustCompile(`^(?:[0-9]+|[A-Za-z_][A-Za-z0-9_-]*)$`)
	decimal = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+)?$`)
)

// build returns the action for its arguments, which begin at offset at.
func build(name Name, args []argument, at int) (Action, error) {
	f := formOf(name)
	if len(args) < f.min || len(args) > len(f.params) {
		return Action{}, refuse(at, "%s takes %s, not %d", name, f.arity(), len(args))
	}
	a := Action{Name: name}
	if name == Scroll && len(args) == 1 && isDirection(strings.ToLower(args[0].text)) {
		a.Text = strings.ToLower(args[0].text)
		return a, nil
	}
	for i, arg := range args {
		if err := f.params[i].put(&a, arg); err != nil {
			return Action{}, err
		}
	}
	return a, nil
}

func (k param) put(a *Action, arg argument) error {
	switch k {
	case idParam, toParam:
		if !arg.quoted && !bareID.MatchString(arg.text) {
			return refuse(arg.at, "%q is no element id: quote it or use digits", arg.text)
		}
		if arg.text == "" {
			return refuse(arg.at, "the element id is empty")
		}
		if k == toParam {
			a.To = arg.text
		} else {
			a.Target = arg.text
		}
	case secondsParam:
		if !decimal.MatchString(arg.text) {
			return refuse(arg.at, "%q is no number of seconds", arg.text)
		}
		a.Seconds, _ = strconv.ParseFloat(arg.text, 64) // the pattern left only range errors, Validate refuses those
	default:
		if !arg.quoted {
			return refuse(arg.at, "%q has to stand in quotes", arg.text)
		}
		switch a.Text = arg.text; a.Name {
		case Press:
			a.Text = canonicalKey(arg.text)
		case Scroll:
			a.Text = strings.ToLower(arg.text)
		}
	}
	return nil
}

package action

import (
	"fmt"
	"strconv"
	"strings"
)

// String prints the action in its canonical form: ids and texts in double
// quotes, one space after the comma, an empty optional argument left out. It
// prints invalid actions too, for messages; only valid ones parse back.
func (a Action) String() string {
	f := formOf(a.Name)
	var args []string
	for i, p := range f.params {
		switch s := a.argument(p); {
		case p == secondsParam:
			args = append(args, s)
		case s != "" || i < f.min:
			args = append(args, quote(s))
		}
	}
	return string(a.Name) + "(" + strings.Join(args, ", ") + ")"
}

func (a Action) argument(p param) string {
	switch p {
	case idParam:
		return a.Target
	case toParam:
		return a.To
	case secondsParam:
		return strconv.FormatFloat(a.Seconds, 'f', -1, 64)
	default:
		return a.Text
	}
}

// quote escapes what would end the quotes or the line. For JavaScript U+2028 and
// U+2029 end a line.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case isControl(r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

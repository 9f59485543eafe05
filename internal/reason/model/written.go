package model

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/action"
)

// parseWritten reads an action as models write it: with a code fence, a label or a
// sentence around it, typographic or no quotes, a parenthesis too many or too few, names
// for the arguments, or another word for the action. What could mean two things is
// refused: two different actions, a text that may have been cut off.
func parseWritten(s string) (action.Action, error) {
	s = strings.TrimSpace(s)
	a, err := action.Parse(s)
	if err == nil {
		return a, nil
	}
	if escapedQuotes.MatchString(s) {
		s = strings.NewReplacer(`\"`, `"`, `\'`, `'`).Replace(s)
	}
	var found *action.Action
	for at := 0; at < len(s); {
		call := callName.FindStringSubmatchIndex(s[at:])
		if call == nil {
			break
		}
		name, open := s[at+call[2]:at+call[3]], at+call[1]
		args, end, ok := scanArguments(s, open)
		if !ok {
			return action.Action{}, err
		}
		got, bad := action.Parse(rewritten(name, args))
		switch at = end; {
		case bad != nil:
			return action.Action{}, err
		case found != nil && *found != got:
			return action.Action{}, err
		}
		found = &got
	}
	if found == nil {
		return action.Action{}, err
	}
	return *found, nil
}

// escapedQuotes: the quotes of the arguments were escaped once too often.
var escapedQuotes = regexp.MustCompile(`\(\s*\\["']`)

// otherNames are words models use for an action, in lower case.
var otherNames = map[string]string{
	"fill": "setValue", "input": "setValue", "inputtext": "setValue", "settext": "setValue", "select": "setValue", "selectoption": "setValue",
	"tap": "click", "clickelement": "click", "goto": "navigate", "gotourl": "navigate", "visit": "navigate", "back": "goBack",
	"presskey": "press", "keypress": "press", "sleep": "wait", "done": "finish", "draganddrop": "drag", "search": "googleSearch",
}

// callName finds the name of an action before its parenthesis.
var callName = regexp.MustCompile(`(?i)(?:^|[^\pL\pN_.])(` + strings.Join(append([]string{
	"click", "setvalue", "set_value", "type", "press", "hover", "scroll", "drag", "upload", "wait", "navigate", "goback", "go_back",
	"googlesearch", "google_search", "verifysuccess", "verify_success", "finish", "fail",
}, otherWords()...), "|") + `)\s*\(`)

func otherWords() (out []string) {
	for w := range otherNames {
		out = append(out, w)
	}
	return out
}

// rewritten is a call in the action language.
func rewritten(name string, args []string) string {
	plain := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if other, ok := otherNames[plain]; ok {
		plain = other
	}
	if plain == "type" && len(args) == 2 { // into an element, as other languages have it
		plain = "setValue"
	}
	for i, arg := range args {
		quoted, _ := json.Marshal(arg) // of a string
		args[i] = string(quoted)
	}
	return plain + "(" + strings.Join(args, ", ") + ")"
}

// scanArguments reads the arguments of a call, which begin at a place, and returns where
// it ends. ok is false if they cannot be told apart or an end is missing that a text may
// have been cut off at.
func scanArguments(s string, at int) (args []string, end int, ok bool) {
	for {
		at = skip(s, at)
		if at == len(s) || s[at] == ')' {
			return args, min(at+1, len(s)), len(args) == 0 && at < len(s) || len(args) > 0
		}
		if name := argumentName.FindString(s[at:]); name != "" {
			at += len(name)
		}
		var arg string
		if arg, at, ok = scanArgument(s, at); !ok {
			return nil, at, false
		}
		args = append(args, arg)
		if at = skip(s, at); at < len(s) && s[at] == ',' {
			at++
			continue
		}
		if at < len(s) && s[at] != ')' {
			return nil, at, false
		}
		for at < len(s) && s[at] == ')' {
			at++
		}
		return args, at, true
	}
}

func skip(s string, at int) int {
	return len(s) - len(strings.TrimLeftFunc(s[at:], unicode.IsSpace))
}

// argumentName is a name before an argument: id=, text:.
var argumentName = regexp.MustCompile(`^(?i)(?:id|element_?id|element|from|to|text|value|key|url|query|seconds|message|reason)\s*[=:]\s*`)

// closers are the quotes that close what a quote has opened.
var closers = map[rune]string{'"': `"`, '\'': `'`, '“': `”"“`, '„': `“”"`, '‘': `’'`, '’': `’'`, '«': `»`, '`': "`"}

// scanArgument reads one argument: a text in quotes of any kind, or a bare word.
func scanArgument(s string, at int) (arg string, end int, ok bool) {
	first, n := utf8.DecodeRuneInString(s[at:])
	closing, quoted := closers[first]
	if !quoted {
		return scanBare(s, at)
	}
	var b strings.Builder
	for at += n; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		next := at + n
		switch {
		case strings.ContainsRune(closing, r) && endsArgument(s[next:]):
			return b.String(), next, true
		case r == '\\' && next < len(s):
			escaped, n := utf8.DecodeRuneInString(s[next:])
			b.WriteString(unescaped(escaped))
			next += n
		default:
			b.WriteRune(r)
		}
		at = next
	}
	return "", at, false // it may have been cut off
}

// endsArgument reports whether another argument or the end of the call follows. A quote
// before anything else belongs to the text.
func endsArgument(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || rest[0] == ',' || rest[0] == ')'
}

func unescaped(r rune) string {
	switch r {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '"', '\'', '\\', '/', '`':
		return string(r)
	}
	return `\` + string(r)
}

// scanBare reads an argument without quotes, with an id perhaps in brackets. It needs
// its end: without one it may have been cut off.
func scanBare(s string, at int) (arg string, end int, ok bool) {
	n := strings.IndexAny(s[at:], ",)(\n")
	if n < 0 || s[at+n] != ',' && s[at+n] != ')' {
		return "", at, false
	}
	arg = strings.TrimSpace(s[at : at+n])
	if in, bracketed := strings.CutPrefix(arg, "["); bracketed {
		arg = strings.TrimSuffix(in, "]")
	}
	return strings.TrimPrefix(arg, "#"), at + n, arg != "" && !strings.ContainsAny(arg, `"'[]{}`+"“”‘’")
}

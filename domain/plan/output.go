package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// CheckOutput is the checkpoint of a sub-task's output (spec: Verification Checkpoint
// Logic, checkpoint 2), after so many retries: every value of the contract is there,
// stands somewhere (stands), and whoever found it is certain enough. Issues say what is
// wrong, one sentence each.
func (t SubTask) CheckOutput(found map[string]string, confidence float64, retries int, stands func(string) bool) (CheckVerdict, []string) {
	var issues []string
	for _, name := range t.Outputs {
		switch value := strings.TrimSpace(found[name]); {
		case value == "":
			issues = append(issues, fmt.Sprintf("%q is missing.", name))
		case !stands(value):
			issues = append(issues, fmt.Sprintf("%q stands nowhere as %q.", name, value))
		}
	}
	if len(issues) > 0 {
		confidence = min(confidence, math.Nextafter(PassFrom, 0))
		if confidence < RetryFrom {
			confidence = RetryFrom // a value that was left out can be given
		}
	}
	if confidence < PassFrom && len(issues) == 0 {
		issues = append(issues, "It is not certain that this part is done.")
	}
	return verdictOn(confidence, retries), issues
}

// claims are what a message states that can be looked up: quoted words and whatever has
// a digit in it.
var claims = regexp.MustCompile(`"[^"]+"|“[^”]+”|„[^“]+“|«[^»]+»|[\p{L}\p{N}]*\p{N}[\p{L}\p{N}.,:/%-]*`)

// Traceability is the share of a message's claims that stand in one of the sources, 1
// if it makes none (spec: checkpoint 3, every claim links to at least one output), and
// the claims that do not.
func Traceability(message string, sources ...string) (score float64, unsupported []string) {
	all := words(strings.Join(sources, "\n"))
	found := claims.FindAllString(message, -1)
	supported := 0
	for _, c := range found {
		c = strings.Trim(c, `"“”„«».,:;/-`)
		switch {
		case c == "" || strings.Contains(all, words(c)):
			supported++
		case !slices.Contains(unsupported, c):
			unsupported = append(unsupported, c)
		}
	}
	if len(found) == 0 {
		return 1, nil
	}
	return float64(supported) / float64(len(found)), unsupported
}

// words are those of a text in lower case, each between spaces, so that "5" is not found
// in "15".
func words(s string) string {
	var out []string
	for word := range strings.FieldsSeq(strings.ToLower(s)) {
		if word = strings.Trim(word, `"“”„«».,:;/-()[]!?`); word != "" {
			out = append(out, word)
		}
	}
	return " " + strings.Join(out, " ") + " "
}

// CheckSynthesis is the checkpoint of a task's last message after so many retries
// (spec: checkpoint 3). It has no score that cannot be improved on, so it only fails
// when no retry is left.
func CheckSynthesis(traceability float64, retries int) CheckVerdict {
	return verdictOn(max(traceability, RetryFrom), retries)
}

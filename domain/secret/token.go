package secret

import (
	"strings"
	"unicode"
)

// tokenPrefixes are the prefixes that services give their keys and tokens.
var tokenPrefixes = []string{
	"sk-", "sk_", "rk_", "pk_live_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xapp-",
	"AKIA", "ASIA", "AIza", "ya29.", "GOCSPX-", "EAAC", "npm_", "pypi-", "dop_v1_", "shpat_", "SG.", "hf_",
}

// shortToken is the length from which a text with such a prefix is a token.
const shortToken = 16

// isToken reports a text that is recognisable as a key or token.
func isToken(s string) bool {
	if len(s) < shortToken {
		return false
	}
	for _, p := range tokenPrefixes {
		if strings.HasPrefix(s, p) && strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, " /") {
			return true
		}
	}
	return jwtAt(s) == len(s)
}

// jwtStart is how every JSON web token begins.
const jwtStart = "eyJ"

// jwtAt returns the length of the JSON web token s begins with, 0 if there is none.
func jwtAt(s string) int {
	if !strings.HasPrefix(s, jwtStart) {
		return 0
	}
	n, dots, part := 0, 0, 0
	for ; n < len(s); n++ {
		switch c := s[n]; {
		case c == '.' && part > 5 && dots < 2:
			dots, part = dots+1, 0
		case c == '-' || c == '_' || c == '=' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			part++
		default:
			if dots == 0 {
				return 0
			}
			return n
		}
	}
	if dots == 0 {
		return 0
	}
	return n
}

// isBearer reports a word after "Bearer" that is not an ordinary word.
func isBearer(words []word, i int) bool {
	return i > 0 && strings.EqualFold(strings.TrimSuffix(words[i-1].text, ":"), "bearer") && looksRandom(words[i].value(), shortToken/2)
}

// looksRandom reports a long enough text that is unlikely to be a name: letters and
// digits mixed, or very long.
func looksRandom(s string, atLeast int) bool {
	if len(s) < atLeast || strings.ContainsFunc(s, unicode.IsSpace) {
		return false
	}
	digits := strings.ContainsAny(s, "0123456789")
	letters := strings.ContainsFunc(s, unicode.IsLetter)
	return digits && letters || len(s) >= 2*shortToken && !strings.ContainsAny(s, "-_ ")
}

// Lengths of a card number.
const shortestCard, longestCard = 13, 19

// cardNumbers returns the numbers in a text with the check digit of a card number.
func cardNumbers(text string) (found []string) {
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' || i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
			continue
		}
		end, digits := i, make([]byte, 0, longestCard+1)
		for j := i; j < len(text) && len(digits) <= longestCard; j++ {
			if c := text[j]; c >= '0' && c <= '9' {
				digits, end = append(digits, c-'0'), j+1
			} else if c != ' ' && c != '-' || j+1 < len(text) && (text[j+1] < '0' || text[j+1] > '9') {
				break
			}
		}
		if len(digits) >= shortestCard && len(digits) <= longestCard && checkDigitHolds(digits) {
			found = append(found, text[i:end])
		}
		i = end - 1
	}
	return found
}

func checkDigitHolds(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		n := int(d)
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0 && sum > 0
}

package weburl

import "strings"

// Host returns a host name in the one form by which two are compared: in lower case,
// without the dot at its end, with labels in punycode (xn--) as the Unicode text they
// stand for. A label that is no punycode stays as it is. Nothing is normalised beyond
// that: a letter with an accent of its own is another than one that has it built in.
func Host(name string) string {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(name, ".")), ".")
	for i, label := range labels {
		if coded, is := strings.CutPrefix(label, "xn--"); is {
			if text, ok := punycode(coded); ok {
				labels[i] = strings.ToLower(text)
			}
		}
	}
	return strings.Join(labels, ".")
}

// Parameters of RFC 3492, section 5.
const (
	base, tMin, tMax = 36, 1, 26
	skew, damp       = 38, 700
	firstBias        = 72
	firstCode        = 0x80
	// maxLabel is the longest label DNS has; a longer one is no host's.
	maxLabel = 63
)

// punycode decodes a label (RFC 3492, section 6.2).
func punycode(coded string) (string, bool) {
	if len(coded) > maxLabel {
		return "", false
	}
	var out []rune
	if at := strings.LastIndexByte(coded, '-'); at >= 0 {
		out, coded = []rune(coded[:at]), coded[at+1:]
	}
	code, at, bias := firstCode, 0, firstBias
	for coded != "" {
		was := at
		for weight, k := 1, base; ; k += base {
			if coded == "" {
				return "", false
			}
			digit, ok := digitOf(coded[0])
			if coded = coded[1:]; !ok {
				return "", false
			}
			at += digit * weight
			t := min(max(k-bias, tMin), tMax)
			if digit < t {
				break
			}
			if weight *= base - t; at > maxCode || weight > maxCode {
				return "", false
			}
		}
		n := len(out) + 1
		bias = adapted(at-was, n, was == 0)
		code += at / n
		at %= n
		if code > maxRune {
			return "", false
		}
		out = append(out[:at], append([]rune{rune(code)}, out[at:]...)...)
		at++
	}
	return string(out), true
}

const (
	maxRune = 0x10ffff
	// maxCode keeps sums far from the end of an int.
	maxCode = 1 << 30
)

func digitOf(b byte) (int, bool) {
	switch {
	case b >= 'a' && b <= 'z':
		return int(b - 'a'), true
	case b >= '0' && b <= '9':
		return int(b-'0') + 26, true
	}
	return 0, false
}

// adapted is the bias after a code (RFC 3492, section 6.1).
func adapted(delta, n int, first bool) int {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / n
	k := 0
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}

package api

// units is the length of a text in UTF-16 code units, as the client counts.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// longerThan compares a text's length in UTF-16 units with a limit. It only counts if
// the length in bytes does not decide.
func longerThan(s string, limit int) bool { return len(s) > limit && units(s) > limit }

// cut shortens a text to a number of UTF-16 units without splitting a character.
func cut(s string, limit int) string {
	if !longerThan(s, limit) {
		return s
	}
	n := 0
	for i, r := range s {
		if n++; r > 0xffff {
			n++
		}
		if n > limit {
			return s[:i]
		}
	}
	return s
}

// maxShown bounds how much an error repeats of a client's value.
const maxShown = 300

// shown shortens the texts in an error's details at any depth.
func shown(v any) any {
	switch v := v.(type) {
	case string:
		return shownText(v)
	case []string:
		out := make([]string, 0, min(len(v), maxShown))
		for _, s := range v[:cap(out)] {
			out = append(out, shownText(s))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, inner := range v {
			out[shownText(k)] = shown(inner)
		}
		return out
	}
	return v
}

func shownText(s string) string {
	if !longerThan(s, maxShown) {
		return s
	}
	return cut(s, maxShown) + "…"
}

package api

// units is the length of a text as the client counts it: in UTF-16 code units.
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

// longerThan compares a text's length in UTF-16 units with a limit, without
// counting where the bytes already answer: no unit takes less than one.
func longerThan(s string, limit int) bool { return len(s) > limit && units(s) > limit }

// cut shortens a text to a number of UTF-16 units, between characters.
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

// maxShown is how much an error repeats of anything, which may be a client's value.
const maxShown = 300

// shown shortens the texts in what an error says, at whatever depth.
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

package slot

import "strings"

// name is what a text calls a value: the words just before it ("zip code is 10001"),
// behind it where it is a number ("2 adults"), or else the word that gives it its part.
func (r *reading) name(i, j int, k Kind) (string, []string) {
	ts := r.tokens
	for n := 0; n < maxWords && k == Name && i > 0 && ts[i-1].capital && !ts[i].broken && !r.isGlue(i-1); n++ {
		i-- // a part of a longer name is called as that one
	}
	last := i - 1
	for last >= max(0, i-3) && r.links(last) {
		last--
	}
	first := last
	for first >= 0 && last-first < maxLabel && r.labels(first) && (first == last || !ts[first+1].broken) {
		first--
	}
	if first < last && (last == i-1 || ts[i-1].class&(glue|classNamed) != 0 || ts[i].broken) && r.near(last, i) {
		return r.text[ts[first+1].start:ts[last].end], lows(ts[first+1 : last+1])
	}
	if k == Number || k == Money || k == Code {
		end := j + 1
		for end < len(ts) && end <= j+maxLabel && !ts[end].broken && r.labels(end) {
			end++
		}
		if end > j+1 {
			return r.text[ts[j+1].start:ts[end-1].end], lows(ts[j+1 : end])
		}
	}
	if b := r.before(i); b >= 0 && r.isGlue(b) {
		return ts[b].low, nil
	}
	return "", nil
}

// links reports whether a word stands between a name and its value: "is", "of", "it".
func (r *reading) links(i int) bool {
	return r.tokens[i].class&(classIs|classOf|classArticle) != 0
}

// labels reports whether a word may be one of a name.
func (r *reading) labels(i int) bool {
	t := r.tokens[i]
	return (!r.isGlue(i) || t.class&classNamed != 0) && t.digits == 0 && t.kind != Date && t.kind != Time
}

// near reports whether nothing but a colon stands between a name and its value.
func (r *reading) near(last, i int) bool {
	between := r.text[r.tokens[last].end:r.tokens[i].start]
	return i-last <= 3 && !strings.ContainsAny(between, ".,;?!()\n")
}

func lows(ts []token) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = t.low
	}
	return out
}

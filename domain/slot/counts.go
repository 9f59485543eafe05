package slot

// Counts is how much of what a text has: words of each class ("class to"), values of
// each kind ("kind date"), "phrases" (words that stand together without small words
// between them), their "content" words, and "clauses".
func Counts(text string) map[string]int {
	r := read(cut(text))
	out := map[string]int{}
	for i, t := range r.tokens {
		for name, c := range classNames {
			if t.class&c != 0 {
				out["class "+name]++
			}
		}
		if t.next == i+1 && t.kind != Phrase && t.kind != Name {
			out["kind "+string(t.kind)]++
		}
		if t.broken {
			out["clauses"]++
		}
		if r.isGlue(i) {
			continue
		}
		out["content"]++
		if t.broken || i == 0 || r.isGlue(i-1) {
			out["phrases"]++
		}
	}
	return out
}

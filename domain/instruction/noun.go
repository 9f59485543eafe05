package instruction

import (
	"strings"
	"unicode"
)

// region reads what says behind a comma in which country or state a place is: two or
// three capitals, or a region the grammar knows.
func (n *noun) region(i, j int) int {
	if n.t[i].low != markComma || n.depth == 0 || !n.waiting() || !n.t[i-1].capital || i+1 >= j || !n.t[i+1].capital || n.t[i+1].quoted {
		return i
	}
	if p, ok := n.at(i+1, "region"); ok && i+1+len(p.words) <= j {
		return n.wait(i, 1+len(p.words))
	}
	if text := n.t[i+1].text; len(text) > 3 || len(text) < 2 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsUpper(r) }) {
		return i
	}
	return n.wait(i, 2)
}

// compound reads a word behind a kind that no preposition divides from it: both are
// words of a name, "the message preview setting".
func (n *noun) compound(i int) int {
	if n.head < 0 || n.ref.Plural || n.ref.Or != "" || n.use[i-1] != Noun || n.t[i-1].mark || n.head > 0 && n.use[n.head-1] == Noun || !n.mere(i) {
		return i
	}
	n.ref.Kind, n.ref.Noun, n.ref.Name = "", "", Literal{}
	n.from = n.head
	n.to = n.as(n.from, i+1-n.from, Name)
	n.head = -1
	return n.to
}

// mere reports whether a word is in lower case and nothing else than a noun could be:
// a verb may be one.
func (n *noun) mere(i int) bool {
	if t := n.t[i]; t.mark || t.quoted || t.capital || t.digits || t.form != Text {
		return false
	}
	for _, p := range n.g.phrases[n.t[i].low] {
		if !oneOf(p.class, []string{"verb", "generic", "read", "key", "named", "region", "unit"}) && p.begins(n.t[i:]) {
			return false
		}
	}
	return true
}

// behindName reads a noun the grammar does not know behind a quoted name: "the "Weekly
// report" notification type".
func (n *noun) behindName(i int) int {
	begins := n.more < 0 && i > 0 && n.t[i-1].quoted && n.use[i-1] == Name
	if !n.ref.Name.Quoted || n.ref.Kind != "" || !begins && n.moreEnd != i || i-n.more > deepest && !begins || !n.mere(i) {
		return i
	}
	if begins {
		n.more = i
	}
	n.moreEnd = n.as(i, 1, Noun)
	return n.moreEnd
}

// fieldName reads the name of what is given a value where its words would mean
// something else: "the title of", "the first day of the week".
func (n *noun) fieldName(i, j int) int {
	if !n.fields || n.depth > 0 || n.t[i].capital || n.started() {
		return i
	}
	if p, ok := n.at(i, "field-name", "kind"); ok && p.class == "field-name" && i < j && (i+1 == j || !n.t[i+1].quoted) {
		return n.wait(i, len(p.words))
	}
	_, words := n.g.position(n.t[i:j])
	end := n.words(i+words, j)
	p, ok := n.at(end, "relation")
	if words == 0 || end == i+words || !ok || p.value != "of" {
		return i
	}
	begin := end + len(p.words)
	if q, ok := n.at(begin, "article"); ok {
		begin += len(q.words)
	}
	if end = n.words(begin, j); end == begin {
		return i
	}
	return n.wait(i, end-i)
}

// words is where the words end that follow from i on and are nouns at most.
func (n *noun) words(i, j int) int {
	for k := i; k < j; k++ {
		if k-i == deepest || !n.mere(k) {
			return k
		}
	}
	return j
}

// over says that what is read ends before a word.
const over = -1

// participle reads a relation with a word before it that says more of it: "directed by".
func (n *noun) participle(i, j int) int {
	p, ok := n.at(i, "participle")
	end := i + len(p.words)
	if !ok || !n.started() || n.t[i].capital || end >= j {
		return i
	}
	q, ok := n.at(end, "relation", "relation-list", "place")
	if !ok || end+len(q.words) > j {
		return i
	}
	if n.depth > 0 && n.ref.Kind == "" {
		return over // of "trains from Oslo leaving on May 4" the trains leave
	}
	before := len(n.ref.Where)
	next := n.relation(end, end+len(q.words), j, q)
	if len(n.ref.Where) == before {
		if next > end {
			n.as(i, len(p.words), Name) // it stands between words that wait
			return next
		}
		return i
	}
	n.as(i, len(p.words), Joint)
	for k := before; k < len(n.ref.Where); k++ {
		n.ref.Where[k].Said = n.verbatim(i, end)
	}
	return next
}

package instruction

import "strings"

// What a text nests or runs on beyond these is no reference a person makes.
const (
	deepest     = 6
	longestName = 8
	longestText = 16
)

// noun reads one reference.
type noun struct {
	*span
	ref      Reference
	from, to int // the words that wait to be a name, or the noun of one
	depth    int
	head     int // where the name before the kind, or the kind, begins; negative: neither was read
	more     int // where the noun behind a quoted name begins
	moreEnd  int
}

// reference reads what is meant by the tokens from i on, as far as they say it, and
// returns where it stopped, at most at j.
func (s *span) reference(i, j, depth int) (Reference, int) {
	n := noun{span: s, from: -1, depth: depth, head: -1, more: -1}
	if depth > deepest {
		return n.ref, i
	}
	for i < j {
		next := n.word(i, j)
		if next == i {
			break
		}
		i = next
	}
	return n.done(), i
}

func (n *noun) waiting() bool { return n.from >= 0 }
func (n *noun) named() bool   { return n.waiting() || n.ref.Name.Text != "" }
func (n *noun) started() bool { return n.named() || n.ref.Kind != "" }

// wait adds words to the name that waits.
func (n *noun) wait(i, words int) int {
	if !n.waiting() {
		n.from = i
	}
	n.to = n.as(i, words, Name)
	return n.to
}

// settle makes the words that wait the name.
func (n *noun) settle() {
	if n.waiting() {
		n.ref.Name = n.literal(n.from, n.to)
		n.from = -1
	}
	if n.more >= 0 && n.ref.Kind == "" {
		n.ref.Kind, n.ref.Noun = Thing, n.verbatim(n.more, n.moreEnd)
		n.more = -1
	}
}

func (n *noun) done() Reference {
	if n.waiting() && n.to-n.from > longestName {
		n.as(n.from, n.to-n.from, Unread)
		n.from = -1
	}
	n.settle()
	return n.ref
}

// word reads what stands at i and returns where it ends: i if it is no part of the
// reference.
func (n *noun) word(i, j int) int {
	t := n.t[i]
	switch {
	case t.low == markOf && t.mark:
		return n.owner(i)
	case t.low == markColon && t.mark && i+1 < j && n.started():
		return i + 1
	case (t.low == markComma || t.low == markCut) && t.mark && n.started():
		if next := n.region(i, j); next > i {
			return next
		}
		if _, ok := n.at(i+1, "relation", "named", "relation-list"); ok && n.depth == 0 && i+1 < j && !n.t[i+1].capital {
			if next := n.word(i+1, j); next > i+1 {
				return next
			}
		}
		return i
	case t.mark:
		return i
	case t.quoted:
		return n.quotation(i)
	}
	if next := n.fieldName(i, j); next > i {
		return next
	}
	if p, words := n.g.position(n.t[i:j]); p != 0 && (!t.capital || t.digits) && !n.started() && n.ref.Position == 0 && !n.begins(i, "field") {
		n.ref.Position = p
		return n.as(i, words, Modifier)
	}
	if next := n.participle(i, j); next == over {
		return i
	} else if next > i {
		return next
	}
	first := "article" // behind a noun, "that" is none
	if n.started() {
		first = "becomes"
	}
	p, ok := n.at(i, first, "quantity", "number", "attribute", "attribute-with", "relative", "kind", "field", "named", "relation", "relation-list", "place", "except", "joint", "or", "stop")
	if !ok || i+len(p.words) > j || t.capital && !n.heads(p, i, j) {
		return n.plain(i, j)
	}
	end := i + len(p.words)
	switch p.class {
	case "article":
		return n.as(i, len(p.words), Small)
	case "quantity", "number":
		return n.many(i, p)
	case "attribute":
		if n.waiting() {
			return n.wait(i, len(p.words))
		}
		property, value, _ := strings.Cut(p.value, " ")
		n.ref.With = append(n.ref.With, Attribute{property, value})
		return n.as(i, len(p.words), Modifier)
	case "attribute-with":
		return n.attributeWith(i, end, j, p)
	case "relative":
		if q, ok := n.at(end, "attribute", "attribute-with", "relation", "place", "named", "participle"); n.started() && ok && end+len(q.words) <= j {
			return n.as(i, len(p.words), Small)
		}
		if q, ok := n.at(i, "relation"); n.started() && ok && (n.depth == 0 || n.ref.Kind != "") { // "that has" a thing
			return n.relation(i, i+len(q.words), j, q)
		}
	case "kind":
		return n.kind(i, p)
	case "field":
		if n.ref.Kind == "" || n.ref.Name.Text == "" {
			return n.wait(i, len(p.words))
		}
	case "named":
		if _, ok := n.at(i-1, "article"); ok && !n.started() {
			return n.plain(i, j) // "a reading" is a thing
		}
		return n.called(i, end, j)
	case "relation", "relation-list", "place":
		if p.value == "of" && n.waiting() && n.t[i-1].capital && end < j && n.t[end].capital && !n.t[end].mark {
			return n.wait(i, len(p.words)) // the Bank of America
		}
		if n.depth > 0 && n.ref.Kind == "" && n.started() {
			return i // of "the row of Bob in the table" the row is in the table
		}
		return n.relation(i, end, j, p)
	case "joint":
		if q, ok := n.at(end, "attribute-with"); ok && len(n.ref.With) > 0 && end+len(q.words) < j {
			return n.as(i, len(p.words), Joint)
		}
		if n.depth == 0 && len(n.ref.Where) > 0 {
			if next := n.participle(end, j); next > end { // "and returning on"
				n.as(i, len(p.words), Joint)
				return next
			}
		}
	case "except":
		return n.except(i, end, j)
	case "or":
		if q, ok := n.at(end, "kind"); ok && n.ref.Kind != "" && n.ref.Or == "" && end+len(q.words) <= j {
			n.as(i, len(p.words), Joint)
			n.ref.Or = q.value
			return n.as(end, len(q.words), Noun)
		}
	}
	return i
}

func (n *noun) begins(i int, class string) bool {
	p, ok := n.at(i, class)
	return ok && len(p.words) > 1
}

// heads reports whether a capitalised word may be read as more than a name: as the
// kind behind a name ("the Submit Button"), or as what begins a sentence.
func (n *noun) heads(p phrase, i, j int) bool {
	switch p.class {
	case "kind":
		return n.g.capitals == "nouns" || n.waiting() && n.t[i-1].capital
	case "quantity", "article":
		next := i + len(p.words)
		if next >= j || n.t[next].mark || n.started() {
			return false // "A" is what is called so
		}
		_, joint := n.at(next, "joint", "or")
		return !joint
	}
	return false
}

func (n *noun) owner(i int) int {
	if !n.waiting() || n.ref.Kind != "" {
		return i
	}
	n.ref.Where = append(n.ref.Where, Relation{Is: "of", To: Reference{Name: n.literal(n.from, n.to)}})
	n.from = -1
	return i + 1
}

func (n *noun) quotation(i int) int {
	if n.ref.Name.Text != "" || n.waiting() && n.ref.Kind != "" || n.address() {
		return i
	}
	n.thing()
	n.ref.Name = n.literal(i, i+1)
	return n.as(i, 1, Name)
}

// address reports whether what waits is all a name by its form, and no noun of one.
func (n *noun) address() bool {
	return n.waiting() && n.to == n.from+1 && n.t[n.from].form != Text
}

// thing makes the words that wait a noun the grammar does not know.
func (n *noun) thing() {
	if n.waiting() && n.ref.Kind == "" {
		n.ref.Kind, n.ref.Noun = Thing, n.verbatim(n.from, n.to)
		n.as(n.from, n.to-n.from, Noun)
		n.from = -1
	}
}

func (n *noun) many(i int, p phrase) int {
	switch {
	case n.waiting():
		return n.wait(i, len(p.words))
	case p.class == "number" && !n.counts(i+len(p.words)):
		return n.plain(i, i+1)
	case n.started() || n.ref.Quantity != "" && p.class == "quantity":
		return i
	case p.class == "number":
		n.ref.Number = number(p.value)
	default:
		n.ref.Quantity = Quantity(p.value)
	}
	return n.as(i, len(p.words), Modifier)
}

func (n *noun) attributeWith(i, end, j int, p phrase) int {
	if end < j && n.t[end].mark && n.t[end].low == markColon {
		end++
	}
	if end >= j || n.t[end].mark || !n.t[end].quoted && !n.t[end].capital {
		return i
	}
	n.ref.With = append(n.ref.With, Attribute{p.value, n.t[end].text})
	n.as(i, len(p.words), Modifier)
	return n.as(end, 1, Given)
}

// kind reads a kind of control. What stands before it is its name, or another kind:
// "the menu button" is a button.
func (n *noun) kind(i int, p phrase) int {
	words := len(p.words)
	begin := i
	switch {
	case n.ref.Kind == "" && n.more >= 0:
		begin, n.more = n.more, -1
	case n.ref.Kind == "":
		n.head = i
		if n.waiting() {
			n.head = n.from
		}
		n.settle()
	case !n.named() && n.ref.Kind != It && i > 0 && n.use[i-1] == Noun && !n.t[i-1].mark:
		n.ref.Name = Literal{Text: n.ref.Noun}
	default:
		return i
	}
	n.ref.Kind, n.ref.Noun, n.ref.Plural = p.value, strings.Join(p.words, " "), p.plural
	if begin < i {
		n.ref.Noun = n.verbatim(begin, i+words)
	}
	return n.as(i, words, Noun)
}

// called reads the name behind "named": a quotation, or words up to what goes on.
func (n *noun) called(i, end, j int) int {
	if end < j && n.t[end].mark && n.t[end].low == markColon {
		end++
	}
	if end >= j || n.t[end].mark || n.address() {
		return i
	}
	n.thing()
	if name := n.ref.Name; n.ref.Kind == "" && !name.Quoted && !sure(name) && name.Text != "" { // "an issue in "Home" named"
		n.ref.Kind, n.ref.Noun, n.ref.Name = Thing, name.Text, Literal{}
	}
	if n.ref.Name.Text != "" {
		return i
	}
	stop := end + 1
	for !n.t[end].quoted && stop < j && !n.t[stop].mark && !n.t[stop].quoted && stop-end < longestName {
		if _, ok := n.at(stop, "relation", "place", "joint", "or", "stop", "except", "relative"); ok && !n.t[stop].capital {
			break
		}
		stop++
	}
	n.as(i, end-i, Joint)
	n.ref.Name = n.literal(end, stop)
	return n.as(end, stop-end, Name)
}

func (n *noun) relation(i, end, j int, p phrase) int {
	if p.value == "of" && !n.started() && (n.ref.Quantity != "" || n.ref.Position != 0 || n.ref.Number != 0) {
		return n.as(i, len(p.words), Small) // "all of the", "the first of"
	}
	if _, ok := n.at(i, "purpose"); ok && n.verbAt(end) && !n.t[end].capital {
		return i // "to delete it" is why, and not what
	}
	begin := end
	if begin < j && n.t[begin].mark && n.t[begin].low == markColon {
		begin++
	}
	to, next := n.related(begin, j, p)
	switch {
	case len(to) > 0:
	case p.class == "place":
		to, next = []Reference{{}}, end // of where the reader is: "the section below"
	case n.waiting() && p.value != "of" && n.ends(end, j):
		return n.wait(i, len(p.words)) // "Sign in"
	default:
		return i
	}
	n.settle()
	n.as(i, len(p.words), Joint)
	// A label belongs to the button in the dialog, not to the dialog.
	if head := &n.ref; head.Name.Text == "" && head.Kind != "" && to[0].Name.Text != "" && to[0].Kind != "" && n.namedBehind(end, next) {
		head.Name, to[0].Name = to[0].Name, Literal{}
	}
	for _, r := range to {
		n.ref.Where = append(n.ref.Where, Relation{Is: p.value, To: r})
	}
	return next
}

// ends reports whether nothing that could be related to stands at i.
func (n *noun) ends(i, j int) bool {
	if i >= j || n.t[i].mark {
		return true
	}
	_, ok := n.at(i, "joint", "or", "relation")
	return ok
}

// related reads what something stands to: one reference, or a list where the relation
// is to several.
func (n *noun) related(i, j int, p phrase) ([]Reference, int) {
	if p.class == "relation-list" {
		return n.references(i, j, n.depth+1, true)
	}
	to, next := n.reference(i, j, n.depth+1)
	if to.Kind == "" && to.Name.Text == "" && to.Position == 0 && to.Quantity == "" && len(to.With) == 0 {
		n.as(i, next-i, Unread) // nothing that it could be
		return nil, i
	}
	return []Reference{to}, next
}

// namedBehind reports whether the name of what stands from i to j came behind "named".
func (n *noun) namedBehind(i, j int) bool {
	for k := i; k < j; k++ {
		if _, ok := n.at(k, "named"); ok && n.use[k] == Joint {
			return true
		}
	}
	return false
}

func (n *noun) except(i, end, j int) int {
	list, next := n.references(end, j, n.depth+1, true)
	if len(list) == 0 {
		return i
	}
	n.settle()
	n.as(i, end-i, Joint)
	n.ref.Except = append(n.ref.Except, list...)
	return next
}

// plain reads a word that is nothing but a name, or part of one. Behind a kind only
// what looks like a name is one: "button ONE", "row 3".
func (n *noun) plain(i, j int) int {
	t := n.t[i]
	switch {
	case n.ref.Name.Quoted:
		return n.behindName(i)
	case n.ref.Kind != "" && !n.waiting() && !t.capital && t.form == Text:
		return n.compound(i)
	case n.ref.Name.Text != "":
		return i
	case !n.started() && t.form == Number && i+1 < j && n.counts(i+1):
		n.ref.Number = number(t.low)
		return n.as(i, 1, Modifier)
	}
	return n.wait(i, 1)
}

// counts reports whether a number before the token at i says how many: "two red
// buttons", and not "Six Flags".
func (n *noun) counts(i int) bool {
	if p, ok := n.at(i, "attribute"); ok {
		i += len(p.words)
	}
	p, ok := n.at(i, "kind")
	return ok && p.plural && !n.t[i].capital
}

// references reads a list: references with commas and "and" between them. A later one
// has to look like one, since an unknown verb may stand there too: "open the menu and
// frobnicate". Bare lists are of words that look like nothing: "angry, sad". Behind one
// that is related to something a name without an article is not read: in "from Oslo,
// Norway" it may belong to the list, or to what the thing is related to.
func (s *span) references(i, j, depth int, bare bool) (list []Reference, next int) {
	next = i
	for {
		r, end := s.reference(i, j, depth)
		if r.IsZero() || len(list) > 0 && !s.goesOn(list[len(list)-1], r, i, bare) {
			s.as(next, max(i, end)-next, Unread)
			return shared(list), next
		}
		list, next = append(list, r), end
		if i = s.joint(end, j); i == end {
			return shared(list), next
		}
	}
}

// shared gives the noun of the last to those before it that have none: "the second and
// third row".
func shared(list []Reference) []Reference {
	for k := len(list) - 2; k >= 0; k-- {
		r, last := &list[k], list[k+1]
		if r.Kind == "" && r.Name.Text == "" && (r.Position != 0 || len(r.With) > 0) && last.Kind != It {
			r.Kind, r.Noun, r.Plural = last.Kind, last.Noun, last.Plural
		}
	}
	return list
}

func (s *span) goesOn(before, r Reference, i int, bare bool) bool {
	switch {
	case r.Kind != "" || r.Name.Quoted || s.small(i):
		return true
	case len(before.Where) > 0:
		return false
	}
	return bare || sure(r.Name) || len(r.With) > 0 && r.Name.Text == ""
}

// small reports whether an article or a quantity stands at i.
func (s *span) small(i int) bool {
	_, ok := s.at(i, "article", "quantity")
	return ok
}

// joint reads a comma, "and", or both.
func (s *span) joint(i, j int) int {
	if i < j && s.t[i].mark && s.t[i].low == markComma {
		i++
	}
	return s.skip(i, j, Joint, "joint")
}

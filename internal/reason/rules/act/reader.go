package act

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// reader turns one clause into parts.
type reader struct {
	src     string
	lex     fieldNames
	parts   []part
	unclear []string
}

func (r *reader) text(ts []token) string { return strings.TrimSpace(verbatim(r.src, ts)) }

func (r *reader) clause(ts []token) {
	ts = trim(ts[skipPolite(ts, 0):])
	if len(ts) == 0 {
		return
	}
	kind, n := startsVerb(ts)
	rest := trim(ts[n:])
	switch kind {
	case "create":
		r.create("create", rest)
		r.parts[len(r.parts)-1].said = r.text(ts)
	case "login":
		r.create("login", rest)
	case "press":
		if name, ok := keyOf(ts[0], rest); ok {
			r.parts = append(r.parts, part{verb: press, object: r.text(rest), key: name})
			return
		}
		r.press(dropGeneric(rest, controlWords))
	case "self":
		r.self(ts, rest)
	case "open":
		r.open(rest)
	case "fill":
		r.fill(rest)
	case "choose":
		r.choose(rest)
	case "check":
		r.tick(rest, "true")
	case "uncheck":
		r.tick(rest, "false")
	case "search":
		r.search(rest)
	default:
		r.bare(ts)
	}
}

// connectors separate what is created from its values.
var connectors = words.Set("connector")

var (
	// naming words are followed by the main value, introducing words only if what
	// follows begins like a value.
	naming      = words.Set("naming")
	introducing = words.Set("introducing")
	newWord     = words.Set("new")
	// allWords and detailWords mean all that is in the form.
	allWords    = words.Set("everything")
	detailWords = words.Set("details")
)

// What stands between the parts of a clause.
var (
	kindOf      = words.List("kind-of")
	searchedFor = words.List("searched")
	filledWith  = words.List("filled-with")
	chosenFrom  = words.List("chosen-from")
	valuesWith  = words.List("values-with")
)

// create reads "a new patient with name 'Jas' and email x@y.z", "patient Jas
// Miller", "Jas as a patient".
func (r *reader) create(action string, ts []token) {
	if action == "create" {
		ts = kindFirst(ts)
	}
	cut := slices.IndexFunc(ts, func(t token) bool { return t.quoted || connectors[t.low] })
	if cut < 0 {
		cut = len(ts)
	}
	p := part{verb: form, action: action, submit: true}
	object, rest := dropArticles(ts[:cut]), ts[cut:]
	if action == "login" {
		object = nil // "to the portal" says where, not what
	}
	object, named := r.properName(object, &rest)
	if len(rest) > 0 && !rest[0].quoted && connectors[rest[0].low] {
		word := rest[0].low
		rest = trim(rest[1:])
		starts := len(rest) > 0 && (rest[0].quoted || continues(rest[0]))
		named = named || naming[word] || starts && introducing[word]
	}
	p.object = strings.Join(text.Without(text.Words(r.text(object)), text.Fillers, newWord), " ")
	p.fields = r.list(rest, named)
	if named && action == "login" && len(p.fields) > 0 {
		p.fields[0].name = "username"
	}
	r.parts = append(r.parts, p)
}

// properName moves a name from the object to the values: of "patient Jas Miller born
// in 1990" the object is "patient". An object all in capitals ("New Patient") has no
// name in it.
func (r *reader) properName(object []token, rest *[]token) (kind []token, named bool) {
	proper := slices.IndexFunc(object, continues)
	if proper <= 0 {
		return object, false
	}
	*rest = slices.Concat(listed(object[proper:]), *rest)
	return object[:proper], true
}

// kindFirst turns "Jas as a patient with …" into "patient Jas with …".
func kindFirst(ts []token) []token {
	as := indexWord(ts, kindOf...)
	if as <= 0 || slices.ContainsFunc(ts[:as], func(t token) bool { return !t.quoted && !continues(t) }) {
		return ts
	}
	end := as + 1
	for end < len(ts) && !ts[end].quoted && !ts[end].mark && !connectors[ts[end].low] {
		end++
	}
	return slices.Concat(dropArticles(ts[as+1:end]), ts[:as], ts[end:])
}

// listed puts a comma between a name and the lower-case words after it.
func listed(ts []token) []token {
	end := slices.IndexFunc(ts, func(t token) bool { return !continues(t) })
	if end < 0 {
		return ts
	}
	comma := token{text: ",", low: ",", mark: true, start: ts[end-1].end, end: ts[end-1].end}
	return slices.Concat(ts[:end], []token{comma}, ts[end:])
}

func (r *reader) press(ts []token) {
	if q := slices.IndexFunc(ts, func(t token) bool { return t.quoted }); q >= 0 && onlyWords(ts[:q], controlWords) && onlyWords(ts[q+1:], controlWords) {
		ts = ts[q : q+1]
	}
	name := r.text(ts)
	if name == "" {
		r.unclear = append(r.unclear, "what to click")
		return
	}
	r.parts = append(r.parts, part{verb: press, object: name})
}

// self reads verbs that are the names of controls: "save it", "submit the form".
func (r *reader) self(ts, rest []token) {
	if onlyWords(rest, controlWords, allWords) {
		ts = ts[:len(ts)-len(rest)]
	}
	r.parts = append(r.parts, part{verb: press, object: r.text(trim(ts))})
}

func (r *reader) open(ts []token) {
	if len(ts) == 1 && shapeOf(ts[0]) == "url" {
		r.parts = append(r.parts, part{verb: visit, value: ts[0].text})
		return
	}
	r.press(dropGeneric(ts, controlWords))
}

func (r *reader) search(ts []token) {
	ts = trim(ts)
	if len(ts) > 0 && slices.Contains(searchedFor, ts[0].low) {
		ts = ts[1:]
	}
	q := slices.IndexFunc(ts, func(t token) bool { return t.quoted })
	if q >= 0 && q == len(ts)-1 {
		ts = ts[q:] // search for the patient 'Jas'
	}
	value := r.text(trim(ts))
	if value == "" {
		r.unclear = append(r.unclear, "what to search for")
		return
	}
	r.parts = append(r.parts, part{verb: search, value: value})
}

// fill reads "'Jas' into the name field", "the phone to 555", "the form with
// name Jas", "username 'a' and password 'b'".
func (r *reader) fill(ts []token) {
	p := part{verb: form}
	ts = dropArticles(ts)
	if i := indexWord(ts, filledWith...); i >= 0 {
		if onlyWords(ts[:i], controlWords, detailWords) {
			p.fields = r.list(trim(ts[i+1:]), false)
			r.parts = append(r.parts, p)
			return
		}
		if name := r.text(dropGeneric(ts[:i], fieldWords)); name != "" && !slices.ContainsFunc(ts[:i], func(t token) bool { return t.quoted }) {
			p.fields = []field{{name: name, value: r.text(trim(ts[i+1:]))}}
			r.parts = append(r.parts, p)
			return
		}
	}
	p.fields = r.list(ts, false)
	r.parts = append(r.parts, p)
}

// choose reads "'Female' from Gender", "Female as the gender".
func (r *reader) choose(ts []token) {
	ts = dropArticles(ts)
	f := field{kind: option}
	if i := indexWord(ts, chosenFrom...); i > 0 {
		f.name = r.text(dropGeneric(ts[i+1:], fieldWords))
		ts = ts[:i]
	}
	if q := slices.IndexFunc(ts, func(t token) bool { return t.quoted }); q >= 0 {
		f.name = cmp.Or(f.name, r.text(dropGeneric(ts[:q], fieldWords)))
		ts = ts[q : q+1]
	}
	f.value = r.text(dropGeneric(ts, fieldWords))
	if f.value == "" {
		r.unclear = append(r.unclear, "what to select")
		return
	}
	r.parts = append(r.parts, part{verb: form, fields: []field{f}})
}

func (r *reader) tick(ts []token, value string) {
	name := r.text(dropGeneric(dropArticles(ts), fieldWords))
	if q := slices.IndexFunc(ts, func(t token) bool { return t.quoted }); q >= 0 {
		name = ts[q].text
	}
	if name == "" {
		r.unclear = append(r.unclear, "what to check")
		return
	}
	r.parts = append(r.parts, part{verb: form, fields: []field{{name: name, value: value, kind: tick}}})
}

// bare reads a clause without a known verb: "Name = Jas, Email: x@y.z", or "book a
// visit with name Jas", where the values are kept and the rest is unclear.
func (r *reader) bare(ts []token) {
	sub := reader{src: r.src, lex: r.lex}
	fields := sub.list(ts, false)
	before := ""
	if i := indexWord(ts, valuesWith...); i > 0 && len(sub.unclear) > 0 {
		sub.unclear = nil
		before, fields = r.text(ts[:i]), sub.list(trim(ts[i+1:]), false)
	}
	if len(fields) == 0 || slices.ContainsFunc(fields, func(f field) bool { return f.name == "" }) {
		r.unclear = append(r.unclear, r.text(ts))
		return
	}
	if before != "" {
		r.unclear = append(r.unclear, before)
	}
	r.unclear = append(r.unclear, sub.unclear...)
	r.parts = append(r.parts, part{verb: form, fields: fields})
}

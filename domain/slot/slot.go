package slot

import "strings"

// Slot is a value that stands in a text.
type Slot struct {
	// Name is what the text calls the value ("zip code", "down payment"), or the word
	// that gives it its part ("from"); "" if nothing does.
	Name string
	// Value stands in the text from byte Start to byte End.
	Value      string
	Kind       Kind
	Text       int // which text it is from: 0 is the query, n the nth answer
	Start, End int

	at place
}

// place is where a slot stands among the words of its text.
type place struct {
	before class // of the word before it, articles apart; 0 at the beginning of a clause
	after  class // of the word after it, where its phrase ends

	words    int
	digits   int
	inside   int  // words without meaning inside
	capitals bool // every word begins with one, words without meaning apart

	cutBefore, cutAfter bool // the phrase it is in begins before it; ends after it
	runBefore, runAfter bool // and so do the words with capitals
	run, runIndex       int  // how many words with capitals those are, and how many of them stand before it

	object bool // it is what the sentence asks to be found, booked, ...
	mailed bool // an e-mail address in the text has it in it
	typed  bool // a field has it already
	bounds bound
	nth    int      // which of the values of its kind it is, from 0
	label  []string // the words of Name that are a label, in lower case
}

// bound is what a number is in "between 5 and 10", "under $100".
type bound uint8

const (
	boundLower bound = 1 + iota
	boundUpper
)

const (
	// maxRead is how many bytes of a text are read; what is longer is a document, and
	// has its values named elsewhere.
	maxRead = 20_000
	// maxWords is how many words a value without quotes has.
	maxWords = 7
	// maxLabel is how many words its name has.
	maxLabel = 3
)

// Find gives the values that stand in a query and in the answers of its user to
// questions about it. They may overlap: "Ann Lee" is one, and so are "Ann" and "Lee".
// In order of where they begin, the longer first; those in quotation marks last.
func Find(query string, answers ...string) []Slot {
	var out []Slot
	for i, text := range append([]string{query}, answers...) {
		out = append(out, find(text, i)...)
	}
	return out
}

func find(text string, number int) []Slot {
	r := read(cut(text))
	var out []Slot
	for i := range r.tokens {
		out = r.from(i, out)
	}
	out = append(out, r.quotes()...)
	count := map[Kind]int{}
	for i := range out {
		out[i].Text = number
		out[i].at.nth = count[out[i].Kind]
		if i+1 == len(out) || out[i+1].Start != out[i].Start {
			count[out[i].Kind]++
		}
	}
	return out
}

// cut is what is read of a text.
func cut(text string) string { return text[:min(len(text), maxRead)] }

// reading is a text and its words.
type reading struct {
	text   string
	tokens []token
	leads  []int  // for each token, the word before the phrase it is in; -1 none
	mails  string // what stands before the @ of the e-mail addresses
}

func read(text string) reading {
	r := reading{text: text, tokens: tokenize(text)}
	known := languageOf(r.tokens)
	for i := range r.tokens {
		t := &r.tokens[i]
		t.class = known[t.low]
		if t.class&classVerb != 0 && !r.mayCommand(i) {
			t.class &^= classVerb
		}
		if t.class&glue != 0 && t.capital && !startsSentence(r.tokens, i) && t.class&prepositions == 0 {
			t.class &^= glue // "The Flash", "Will Smith"
		}
	}
	recognize(r.tokens)
	r.leads = make([]int, len(r.tokens))
	lead := -1
	for _, t := range r.tokens {
		if t.kind == Email && len(r.mails) < 1000 {
			r.mails += t.low[:strings.IndexByte(t.low, '@')] + " "
		}
	}
	for i, t := range r.tokens {
		if t.broken {
			lead = -1
		}
		r.leads[i] = lead
		if r.isGlue(i) && t.class&classArticle == 0 {
			lead = i
		}
	}
	return r
}

// mayCommand reports whether a verb stands where a person says what to do: at the
// beginning of a clause, or after another verb or a small word.
func (r *reading) mayCommand(i int) bool {
	if startsSentence(r.tokens, i) {
		return true
	}
	return !r.tokens[i].capital && r.tokens[i-1].class&(classJoin|classTo|classVerb|classFunction) != 0
}

func (r *reading) isGlue(i int) bool {
	t := r.tokens[i]
	return t.class&(glue|classVerb) != 0 && t.digits == 0
}

// from adds the values that begin with a word.
func (r *reading) from(i int, out []Slot) []Slot {
	t := r.tokens[i]
	if r.isGlue(i) && t.kind != Date && t.kind != Time || i > 0 && r.tokens[i-1].next > i {
		return out
	}
	begin := len(out)
	for j := i; j < len(r.tokens) && j < i+maxWords; j++ {
		if j > i && (r.tokens[j].broken || single(r.tokens[j].kind)) {
			break
		}
		if single(t.kind) {
			j = t.next - 1
		}
		if !r.isGlue(j) {
			out = append(out, r.slot(i, j))
		}
		if single(t.kind) {
			break
		}
	}
	reverse(out[begin:])
	return out
}

func reverse(s []Slot) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// single reports whether a kind of value is never part of a longer one.
func single(k Kind) bool { return k == Email || k == Date || k == Time || k == Money || k == Phone }

// slot is the value from one word to another.
func (r *reading) slot(i, j int) Slot {
	ts := r.tokens
	s := Slot{Start: ts[i].start, End: ts[j].end, Kind: ts[i].kind}
	s.Value = r.text[s.Start:s.End]
	s.at = r.place(i, j)
	if j >= ts[i].next {
		s.Kind = Phrase
		if s.at.capitals {
			s.Kind = Name
		}
	}
	s.Name, s.at.label = r.name(i, j, s.Kind)
	return s
}

func (r *reading) place(i, j int) place {
	ts := r.tokens
	p := place{words: j - i + 1, capitals: true}
	for k := i; k <= j; k++ {
		if r.isGlue(k) {
			p.inside++
		} else if !ts[k].capital && ts[k].digits == 0 {
			p.capitals = false
		}
	}
	if b := r.before(i); b >= 0 {
		p.before = ts[b].class
	}
	p.cutBefore = i > 0 && !ts[i].broken && !r.isGlue(i-1)
	p.cutAfter = j+1 < len(ts) && !ts[j+1].broken && !r.isGlue(j+1)
	p.runBefore = p.cutBefore && ts[i-1].capital
	p.runAfter = p.cutAfter && ts[j+1].capital
	if l := r.leads[i]; l >= 0 {
		p.object = r.opens(l)
	} else {
		p.object = i == 0
	}
	p.bounds = r.bound(i, j)
	if j+1 < len(ts) && !ts[j+1].broken {
		p.after = ts[j+1].class
	}
	first, last := i, j
	for first > 0 && i-first < maxWords && !ts[first].broken && ts[first-1].capital && ts[first].capital && !r.isGlue(first-1) {
		first--
	}
	for last+1 < len(ts) && last-j < maxWords && !ts[last+1].broken && ts[last+1].capital && ts[last].capital && !r.isGlue(last+1) {
		last++
	}
	p.run, p.runIndex = last-first+1, i-first
	for k := i; k <= j; k++ {
		p.digits += ts[k].digits
	}
	p.mailed = r.mailed(i, j)
	return p
}

// mailed reports whether the words of a value are in an e-mail address of the text.
func (r *reading) mailed(i, j int) bool {
	for k := i; k <= j; k++ {
		if len(r.tokens[k].low) < 3 || !strings.Contains(r.mails, r.tokens[k].low) {
			return false
		}
	}
	return r.tokens[i].kind != Email
}

// before is the word before a value, articles apart; -1 at the beginning of a clause.
func (r *reading) before(i int) int {
	for n := 0; n < 4 && i > 0 && !r.tokens[i].broken; n++ {
		if i--; r.tokens[i].class&classArticle == 0 || r.tokens[i].class&prepositions != 0 {
			return i
		}
	}
	return -1
}

// opens reports whether all up to a word is what a sentence begins with: "Search for".
func (r *reading) opens(i int) bool {
	for range 4 {
		if !r.isGlue(i) {
			return false
		}
		if startsSentence(r.tokens, i) {
			return r.tokens[i].class&classVerb != 0
		}
		i--
	}
	return false
}

// bound is which end of a range a value is.
func (r *reading) bound(i, j int) bound {
	ts := r.tokens
	if ts[i].digits == 0 {
		return 0
	}
	number := func(k int) bool { return k >= 0 && k < len(ts) && ts[k].digits > 0 }
	joins := func(k int) bool { return k > 0 && k < len(ts) && ts[k].class&(classJoin|classTo) != 0 }
	for n := 1; n <= 2; n++ { // "$" and "dollars" may stand between
		if joins(j+n) && number(j+n+1) && !ts[j+n+1].broken {
			return boundLower
		}
		if joins(i-1) && number(i-1-n) && !ts[i].broken {
			return boundUpper
		}
	}
	for k := i - 1; k >= max(0, i-3) && !ts[k+1].broken; k-- {
		switch c := ts[k].class; {
		case c&classUnder != 0:
			return boundUpper
		case c&classOver != 0:
			return boundLower
		}
	}
	return 0
}

// Package lexicon has the words by which pages are understood: a file a language,
// <language>.txt, a line a concept, and a reader of what a message says.
//
// A page is read by the words of its own language and of English, and by those of
// other scripts, which cannot be mistaken for either; a page whose language is not
// known, or has no file, by all. Whatever says "not" counts only together with what
// it is about, in the same language: no single word makes a message an error.
//
// In a file a word that ends with a hyphen is the beginning of one. The files are
// read once; nothing here changes after that, and all of it is safe for concurrent
// use. Time grows with the length of the text and no faster.
package lexicon

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// Concept is what the words of one line of a file have in common.
type Concept string

// What messages say.
const (
	Success Concept = "success" // something was done
	Failure Concept = "failure" // something is wanted first, or not to be had
	Refusal Concept = "refusal" // something was tried, and did not work
	Error   Concept = "error"   // the same, which no good news beside it makes better
	Busy    Concept = "busy"    // something is under way
	wait    Concept = "wait"    // asks to wait, with the "please" of its language
)

// What changes what a message says.
const (
	not        Concept = "not"         // before what was not
	notAfter   Concept = "not after"   // right behind it
	notYet     Concept = "not yet"     // before what is not, so far
	undone     Concept = "undone"      // is not, so far
	unPrefix   Concept = "un"          // the beginning of a word, "unsaved"
	later      Concept = "later"       // before what is still to come
	laterAfter Concept = "later after" // right behind it
	until      Concept = "until"       // begins when it will be
	ifWord     Concept = "if"          // begins what may or may not be
	andWord    Concept = "and"         // begins a new clause
	number     Concept = "number"      // before a number: "order no. 5"
	harmless   Concept = "harmless"    // has a word of one of the others and means none
)

// What pages and their controls are called.
const (
	NoPage          Concept = "no page"           // the heading of a page that is not there
	ErrorPage       Concept = "error page"        // the whole title or heading of a page that shows an error only
	Close           Concept = "close"             // closes what is open
	Clear           Concept = "clear"             // empties a form, takes a filter back
	All             Concept = "all"               // stands for all of a list
	Narrow          Concept = "narrow"            // sorts or narrows a list
	NoVisibleEffect Concept = "no visible effect" // leaves nothing to read: colours, sound, the clipboard
	Media           Concept = "media"             // starts and stops what plays
	Keep            Concept = "keep"              // has to reach a server to be of use
	Search          Concept = "search"
	Send            Concept = "send" // sends what was entered
	Next            Concept = "next" // goes on, to the next step or page
	Open            Concept = "open" // brings something to see: a form, a page, a menu
	Up              Concept = "up"   // moves one of several up, or earlier
	Down            Concept = "down"
	Tell            Concept = "tell"     // tells more of something
	Download        Concept = "download" // brings a file
	Undo            Concept = "undo"     // takes back what was done
	SignIn          Concept = "sign in"  // lets somebody in, who is known
	Register        Concept = "register" // lets somebody in who is new
	Account         Concept = "account"  // leads to one's own account
)

// What forms call their fields, in English.
const (
	FieldName Concept = "field name" // under which forms ask for something, on any site
	Same      Concept = "same"       // other wordings: "zip code = postcode"
)

// common are the words that texts of a language are full of.
const common Concept = "common"

//go:embed *.txt
var files embed.FS

// languages is a set of them, by their index in book.names.
type languages uint64

// book is what the files say.
type book struct {
	names    []string
	concepts map[Concept]map[string]languages
	order    map[Concept][]string // the words as the files have them
	indexes  map[Concept]*vocabulary.Index[languages]
	messages *vocabulary.Index[sign]
}

// sign is a word that says something in a message.
type sign struct {
	concept Concept
	in      languages
}

// read gives the book. The files are part of the program: one that cannot be read
// is a mistake a test finds.
var read = sync.OnceValue(func() *book {
	b, err := load()
	if err != nil {
		panic(err)
	}
	return b
})

func load() (*book, error) {
	b := &book{concepts: map[Concept]map[string]languages{}, order: map[Concept][]string{}}
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("read lexicon: %w", err)
	}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("read lexicon: %w", err)
		}
		b.names = append(b.names, strings.TrimSuffix(e.Name(), ".txt"))
		if err := b.add(string(text), 1<<(len(b.names)-1)); err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Name(), err)
		}
	}
	b.index()
	return b, nil
}

// add takes up the lines of one file.
func (b *book) add(text string, language languages) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, list, ok := strings.Cut(line, ":")
		c := Concept(name)
		if !ok || !slices.Contains(inMessages, c) && !slices.Contains(elsewhere, c) {
			return fmt.Errorf("a line without a concept: %q", line)
		}
		if b.concepts[c] == nil {
			b.concepts[c] = map[string]languages{}
		}
		for word := range strings.SplitSeq(list, ",") {
			word = vocabulary.Fold(strings.TrimSpace(word))
			if b.concepts[c][word] == 0 {
				b.order[c] = append(b.order[c], word)
			}
			b.concepts[c][word] |= language
		}
	}
	return nil
}

// inMessages are the concepts a message is read by.
var inMessages = []Concept{Success, Refusal, Failure, Error, Busy, wait, not, notAfter, notYet, undone, later, laterAfter, until, ifWord, andWord, number, harmless}

// elsewhere are those of names and of whole pages.
var elsewhere = []Concept{
	unPrefix, NoPage, ErrorPage, Close, Clear, All, Narrow, NoVisibleEffect, Media, Keep, Search, Send, Next, Open, Up, Down, Tell, Download, Undo,
	SignIn, Register, Account, FieldName, Same, common,
}

func (b *book) index() {
	b.indexes = map[Concept]*vocabulary.Index[languages]{}
	for c, words := range b.concepts {
		x := &vocabulary.Index[languages]{}
		for _, w := range slices.Sorted(maps.Keys(words)) {
			x.Add(w, words[w])
		}
		b.indexes[c] = x
	}
	b.messages = &vocabulary.Index[sign]{}
	for _, c := range inMessages {
		for _, w := range slices.Sorted(maps.Keys(b.concepts[c])) {
			b.messages.Add(w, sign{c, b.concepts[c][w]})
		}
	}
}

// Words are those a page is read by. The zero value knows none.
type Words struct{ in languages }

// For gives the words for a page of a language, as Language has it; those of every
// language where it is not known.
func For(language string) Words {
	b := read()
	i := slices.Index(b.names, language)
	if i < 0 {
		return Words{^languages(0)}
	}
	w := Words{b.bit(language) | b.bit("en")}
	for _, s := range scripts {
		if !slices.Contains(s.languages, language) {
			for _, l := range s.languages {
				w.in |= b.bit(l)
			}
		}
	}
	return w
}

func (b *book) bit(language string) languages {
	if i := slices.Index(b.names, language); i >= 0 {
		return 1 << i
	}
	return 0
}

// In reports whether a text has a word of the concept.
func (w Words) In(c Concept, text string) bool { return w.find(c, vocabulary.Read(text), false) }

// Is reports whether a text is a word of the concept, and no more.
func (w Words) Is(c Concept, text string) bool { return w.find(c, vocabulary.Read(text), true) }

func (w Words) find(c Concept, text vocabulary.Text, whole bool) (found bool) {
	x := read().indexes[c]
	if x == nil {
		return false
	}
	x.Find(text, func(f vocabulary.Found[languages]) bool {
		found = f.Tag&w.in != 0 && (!whole || text.Whole(f.First, f.Last))
		return !found
	})
	return found
}

// List are the words of a concept in one language, as its file has them.
func List(language string, c Concept) []string {
	b := read()
	bit := b.bit(language)
	return slices.DeleteFunc(slices.Clone(b.order[c]), func(w string) bool { return b.concepts[c][w]&bit == 0 })
}

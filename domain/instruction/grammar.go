package instruction

import (
	"embed"
	"strconv"
	"strings"
)

// A language is a file: its words by class, and for every act the verbs and frames.
//
//go:embed *.txt
var grammarFiles embed.FS

// grammar is a language. Nothing of it changes once it is read.
type grammar struct {
	language   string
	phrases    map[string][]phrase // by their first word, the longest first
	frames     map[string][]frame  // by section
	dateOf     string              // "of" in "the 3rd of May"
	gives      map[string]bool     // the sections whose verbs take values besides what they are about
	possessive string              // the ending of who something belongs to
	capitals   string              // what is written with one: nouns, or only names
}

// phrase is words that stand for something: a class, and the value of that class.
type phrase struct {
	words        []string
	class, value string
	plural       bool
}

// frame is what may stand behind a verb: slots with words between them.
type frame []part

// part is a slot, or words of which one has to stand there.
type part struct {
	slot  string
	kinds []string // of a slot: what it takes; of a target, its kind, unless its name is sure
	words []string
}

// The slots.
const (
	slotTarget    = "TARGET"
	slotTargets   = "TARGETS" // a list of words that look like no names is one too
	slotField     = "FIELD"   // a target that is given a value: "the title" is a field's name
	slotPlace     = "PLACE"
	slotWhere     = "WHERE"   // a relation of the target that stands behind other slots
	slotValue     = "VALUE"   // any words: it is bounded by the frame's own
	slotWords     = "WORDS"   // a literal, or few words without a preposition
	slotOne       = "ONE"     // one literal or word
	slotGiven     = "GIVEN"   // one besides the value: its label is the frame's word before it
	slotLiteral   = "LITERAL" // one that looks like a value: quoted, a number, a date
	slotQuoted    = "QUOTED"
	slotKey       = "KEY"       // a key, or several held together
	slotDirection = "DIRECTION" // one of the class direction: its value
	slotOrder     = "ORDER"     // and of the class order
)

var grammars = readGrammars()

func readGrammars() (all []*grammar) {
	files, err := grammarFiles.ReadDir(".")
	if err != nil {
		panic(err) // cannot happen: they are in the binary
	}
	for _, f := range files {
		b, err := grammarFiles.ReadFile(f.Name())
		if err != nil {
			panic(err) // the same
		}
		all = append(all, readGrammar(strings.TrimSuffix(f.Name(), ".txt"), string(b)))
	}
	return all
}

// readGrammar reads a file: lines "class value: phrase, phrase/plural", and below
// "[act]" its verbs, and its frames one a line. Words behind the act tell apart
// sections of one act whose verbs have other frames.
func readGrammar(language, file string) *grammar {
	g := &grammar{language: language, phrases: map[string][]phrase{}, frames: map[string][]frame{}, gives: map[string]bool{}}
	act := "" // the section
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		head, words, list := strings.Cut(line, ": ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			act = strings.Trim(line, "[]")
		case list && act != "":
			g.add(head, act, words)
		case list:
			class, value, _ := strings.Cut(head, " ")
			g.add(class, value, words)
		default:
			g.frames[act] = append(g.frames[act], readFrame(line))
		}
	}
	return g
}

func readFrame(line string) (f frame) {
	for word := range strings.FieldsSeq(line) {
		name, kinds, limited := strings.Cut(word, ":")
		switch {
		case word == "(:)":
			f = append(f, part{words: []string{word}})
		case name != strings.ToUpper(name):
			f = append(f, part{words: strings.Split(word, "|")})
		case name == "NOTHING":
		case limited:
			f = append(f, part{slot: name, kinds: strings.Split(kinds, "|")})
		default:
			f = append(f, part{slot: name})
		}
	}
	return f
}

func (g *grammar) add(class, value, list string) {
	for entry := range strings.SplitSeq(list, ",") {
		singular, plural, _ := strings.Cut(strings.TrimSpace(entry), "/")
		g.addOne(phrase{strings.Fields(singular), class, value, false})
		if plural != "" {
			g.addOne(phrase{strings.Fields(plural), class, value, true})
		}
		switch class {
		case "date-of":
			g.dateOf = strings.TrimSpace(entry)
		case "capitals":
			g.capitals = strings.TrimSpace(entry)
		case "gives":
			g.gives[value] = true
		case "possessive":
			g.possessive = strings.TrimSpace(entry)
		}
	}
}

func (g *grammar) addOne(p phrase) {
	if len(p.words) == 0 {
		return
	}
	same := g.phrases[p.words[0]]
	at := len(same)
	for at > 0 && len(same[at-1].words) < len(p.words) {
		at--
	}
	same = append(same, phrase{})
	copy(same[at+1:], same[at:])
	same[at] = p
	g.phrases[p.words[0]] = same
}

// has reports whether a phrase begins with the word.
func (g *grammar) has(word string) bool { return len(g.phrases[word]) > 0 }

// act is what the verbs of a section do.
func act(section string) Act {
	name, _, _ := strings.Cut(section, " ")
	return Act(name)
}

// is reports whether a word is of a class by itself.
func (g *grammar) is(word, class string) bool {
	for _, p := range g.phrases[word] {
		if p.class == class && len(p.words) == 1 {
			return true
		}
	}
	return false
}

// at returns the longest phrase of one of the classes that the tokens begin with.
func (g *grammar) at(t []token, classes ...string) (phrase, bool) {
	if len(t) == 0 || t[0].mark || t[0].quoted || t[0].within {
		return phrase{}, false
	}
	for _, p := range g.phrases[t[0].low] {
		if oneOf(p.class, classes) && p.begins(t) {
			return p, true
		}
	}
	return phrase{}, false
}

func (p phrase) begins(t []token) bool {
	if len(p.words) > len(t) {
		return false
	}
	for i, w := range p.words {
		if t[i].low != w || t[i].quoted || t[i].mark || t[i].within {
			return false
		}
	}
	return true
}

func oneOf(s string, list []string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// position reads an ordinal: a word of the class, or digits with an ending of one.
func (g *grammar) position(t []token) (position, words int) {
	if p, ok := g.at(t, "position"); ok {
		n, err := strconv.Atoi(p.value)
		if err != nil {
			return 0, 0
		}
		return n, len(p.words)
	}
	if len(t) > 0 && t[0].digits && !t[0].quoted {
		digits := strings.TrimLeft(t[0].low, "0123456789")
		if digits != "" && g.is(digits, "ordinal-ending") {
			return number(t[0].low), 1
		}
	}
	return 0, 0
}

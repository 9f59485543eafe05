package instruction

// Program is what a query says: steps in the order in which they are to be done.
type Program struct {
	Query    string
	Language string // the grammar it was read with
	Steps    []Step
	// Words are all words of the query in order, each with what it was read as. A
	// literal of several words ("next to", a quotation, a date) is one of them.
	Words []Word
}

// Word is a stretch of the query, at the bytes From to To, and what it was read as.
type Word struct {
	From, To int
	As       Use
}

// Use is what a word was read as.
type Use string

// The uses. A word nobody understood is Unread, and stands in a hole.
const (
	Unread   Use = ""
	Verb     Use = "verb"     // says what to do
	Noun     Use = "noun"     // says what kind of thing
	Name     Use = "name"     // is what a thing is called
	Given    Use = "given"    // is a value, or says which value is meant
	Modifier Use = "modifier" // a position, a number, an attribute
	Joint    Use = "joint"    // a preposition, a conjunction, the word of a condition
	Small    Use = "small"    // an article, a courtesy: nothing is lost without it
)

// Act is what a step does.
type Act string

// The acts. Unknown is a step whose words are in its hole.
const (
	Unknown  Act = ""
	Click    Act = "click"
	Hover    Act = "hover"
	Focus    Act = "focus"
	Choose   Act = "choose"  // an option, a date: by a value, by a target, or a value of a target
	Check    Act = "check"   // a checkbox or switch, on
	Uncheck  Act = "uncheck" // and off
	Enter    Act = "enter"   // a value, by typing
	Set      Act = "set"     // a control to a value, whatever kind of control it is
	Clear    Act = "clear"
	Open     Act = "open"
	Close    Act = "close"
	Expand   Act = "expand"
	Collapse Act = "collapse"
	Scroll   Act = "scroll"
	Drag     Act = "drag"
	Press    Act = "press" // a key
	Navigate Act = "navigate"
	Back     Act = "back"
	Wait     Act = "wait"
	Search   Act = "search"
	Find     Act = "find"  // what is to be on the page afterwards
	Tell     Act = "tell"  // a question about the page: its answer is the result
	Count    Act = "count" // the same, how many there are
	Upload   Act = "upload"
	Submit   Act = "submit"
	Sort     Act = "sort"
	Using    Act = "use"     // the steps after it, to the end of the sentence, are done with or in its target
	Command  Act = "command" // what an application offers under this verb: archive, reply, add
)

// Step is one thing to do.
type Step struct {
	Act    Act
	Verb   string    // as said, in lower case
	Value  Value     // what is entered, chosen, pressed, searched, waited
	Target Reference // what it is done to
	Place  Reference // where it ends: what is dragged, added or sent has one
	With   []Value   // given with a command, each with the Label of its field
	How    *Step     // the way the user wants it done: "by clicking the x"
	When   Condition // done only if, or done again until
	Holes  []Hole    // words that were not understood, in order
}

// Reference says which element or thing is meant, as far as it was said.
type Reference struct {
	Kind     string // the grammar's name of a kind of control; Thing for a noun it does not know
	Noun     string // the kind as said; with the words before it that say more: "category tab"
	Or       string // a second kind: "the folder or file"
	Plural   bool   // the noun was in the plural
	Name     Literal
	Position int // 1 is the first, -1 the last, 0 is not said; with a Number, the first or last so many
	Quantity Quantity
	Number   int // of things: "two checkboxes"
	With     []Attribute
	Where    []Relation
	Except   []Reference
}

// Thing is the kind of a reference whose noun is not one the grammar knows; It that of
// a pronoun: what the step before was about.
const (
	Thing = "thing"
	It    = "it"
)

// Quantity is how many of the things that fit are meant.
type Quantity string

// The quantities. The zero value is one of them, or as many as the plural means.
const (
	All   Quantity = "all"
	Both  Quantity = "both"
	Any   Quantity = "any"
	None  Quantity = "none" // "select nothing"
	Other Quantity = "other"
)

// Attribute is a property of a thing and its value, in words of the grammar: colour
// blue, state checked, most price-low (the cheapest), starts "An".
type Attribute struct{ Property, Value string }

// Relation is how a thing stands to another, in words of the grammar: in, under,
// beside, of, by, from. To is empty where the text leaves open what: "the section
// below". Said is what the text has before that word: "directed" by.
type Relation struct {
	Is   string
	To   Reference
	Said string
}

// IsZero reports whether a reference says nothing.
func (r Reference) IsZero() bool {
	return r.Kind == "" && r.Name.Text == "" && r.Position == 0 && r.Quantity == "" && r.Number == 0 &&
		len(r.With) == 0 && len(r.Where) == 0 && len(r.Except) == 0
}

// Literal is text of the query, without its quotes.
type Literal struct {
	Text   string
	Form   Form
	Quoted bool
}

// Form is what a literal looks like.
type Form string

// The forms. The zero value is a text.
const (
	Text    Form = ""
	Number  Form = "number"
	Date    Form = "date"
	Time    Form = "time"
	Money   Form = "money"
	Email   Form = "email"
	Address Form = "address"
	File    Form = "file"
)

// Value is what is put somewhere: a literal, or what the page says.
type Value struct {
	Label   string     // what the query calls it: "the username"
	Literal Literal    // as given; of what is only said to be so ("with sound enabled") that word
	Unit    string     // of a number, in words of the grammar: kg
	Read    string     // what is read of From: value, text, number, count
	From    *Reference // where on the page it is read; nil if it is given
	Case    string     // upper or lower, if it is to be written so
}

// IsZero reports whether there is no value.
func (v Value) IsZero() bool { return v == Value{} }

// Condition is when a step is done. One that has a Word and no Is was not understood:
// whether the step is to be done is then not known.
type Condition struct {
	Word  string // if, unless, until; empty: always
	Is    string // exists, absent, state; empty if that was not understood
	About Reference
}

// Hole is words that were not understood: the bytes From to To, and what they would
// have said.
type Hole struct {
	Of       HoleKind
	Text     string
	From, To int
}

// HoleKind is what is missing.
type HoleKind string

// The kinds of holes.
const (
	NoAct       HoleKind = "act"       // what is to be done
	NoTarget    HoleKind = "target"    // more about the target, or which it is
	NoValue     HoleKind = "value"     // which value
	NoPlace     HoleKind = "place"     // where to
	NoCondition HoleKind = "condition" // when
)

// UnreadWords returns how many words of the query stand in holes, and how many it has.
// Words are what stands between spaces.
func (p Program) UnreadWords() (unread, all int) {
	for _, w := range p.Words {
		n := spaced(p.Query[w.From:w.To])
		if all += n; w.As == Unread {
			unread += n
		}
	}
	return unread, all
}

// Complete reports whether every word was understood.
func (p Program) Complete() bool {
	unread, _ := p.UnreadWords()
	return unread == 0
}

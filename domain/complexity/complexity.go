package complexity

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/vocabulary"
)

// Class is which way a task goes.
type Class string

// The classes. A Simple task is one action on something that is plainly there; a
// Complex one has several steps, fills a form or goes to other pages.
const (
	Simple  Class = "SIMPLE"
	Complex Class = "COMPLEX"
)

// LongSteps is up to how many steps a task counts as short. Half of the recorded
// tasks have more, near enough.
const LongSteps = 5

// Complexity is the answer.
type Complexity struct {
	Class Class
	// Confidence is how sure the class is, from 0.5.
	Confidence float64
	// Long is the probability that the task takes more than LongSteps steps. The class
	// follows it unless the query says plainly what it is.
	Long float64
	// Reasons are sentences for people, the strongest first; at least one.
	Reasons []string
}

// plainly is how sure a class is that the words of a query give.
const plainly = 0.9

// Of says how complex a task is. Answers are what the user said when asked about it;
// p is the page it begins on, the zero Page where there is none.
func Of(query string, answers []string, p page.Page) Complexity {
	text := strings.Join(append([]string{query}, answers...), ". ")
	fs := features(text)
	c := Complexity{Class: Simple, Long: probability(fs)}
	name, named := control(query, p)
	switch {
	case strings.TrimSpace(query) == "":
		return Complexity{Simple, plainly, 0, []string{"The query is empty."}}
	case named:
		c.Confidence = plainly
		c.Reasons = []string{fmt.Sprintf("The query names one control of the page, %q.", name)}
	case fills(query) && c.Long < 0.5:
		c.Class, c.Confidence = Complex, plainly
		c.Reasons = []string{"The query asks for something to be entered."}
	default:
		if c.Long >= 0.5 {
			c.Class = Complex
		}
		c.Confidence = max(c.Long, 1-c.Long)
		c.Reasons = reasons(fs, c.Class)
	}
	return c
}

// presses are what people call using a control.
var presses = vocabulary.List{
	"click", "click on", "press", "push", "tap", "open", "hit", "go to", "klick", "klicke", "klicke auf", "drücke", "öffne", "tippe auf",
	"clique sur", "cliquez sur", "appuie sur", "ouvre", "haz clic en", "pulsa", "abre", "clicca", "clicca su", "premi", "apri", "clique em", "klik op", "open",
}

// control is the only control of a page a query names, and nothing besides: "Click the
// Log out button".
func control(query string, p page.Page) (string, bool) {
	words := vocabulary.Tokens(query)
	if len(words) == 0 || len(words) > 10 {
		return "", false
	}
	wanted := []byte(" " + spaced(words) + " ")
	var room [128]byte // names are short, and those of a page are many
	for i := range p.Elements {
		e := &p.Elements[i]
		name := within(room[:0], wanted, e.Name)
		if name == nil || e.State.Disabled {
			continue
		}
		before, after, _ := bytes.Cut(wanted, name)
		if onlyPress(string(before)) && roleWord(string(after), e.Role) {
			return e.Name, true
		}
	}
	return "", false
}

// within appends the words of a name with spaces around them to spaced, if they stand in
// a text in which all words have, and else returns nil.
func within(spaced, text []byte, name string) []byte {
	spaced = append(spaced, ' ')
	for w, _, to := vocabulary.Next(spaced, name, 0); len(w) > len(spaced); w, _, to = vocabulary.Next(spaced, name, to) {
		if spaced = append(w, ' '); !bytes.Contains(text, spaced) {
			return nil
		}
	}
	if len(spaced) == 1 {
		return nil
	}
	return spaced
}

func spaced(words []vocabulary.Token) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return strings.Join(out, " ")
}

// onlyPress reports whether nothing but a word for using a control stands there.
func onlyPress(before string) bool {
	before = strings.TrimSpace(before)
	for _, article := range []string{" the", " den", " die", " das", " auf", " le", " la", " el", " il", " de", " o", " a"} {
		before = strings.TrimSuffix(before, article)
	}
	return before == "" || slices.Contains(presses, before)
}

func roleWord(after, role string) bool {
	after = strings.TrimSpace(after)
	return after == "" || after == role || after == "button" || after == "link" || after == "tab"
}

// entering are words for putting something in, and for making what takes a form.
var entering = vocabulary.List{
	"fill", "fill in", "fill out", "add", "create", "register", "sign up", "form", "enter",
	"ausfüllen", "fülle", "lege", "anlegen", "erstelle", "trage", "registriere", "remplis", "remplir", "ajoute", "crée", "créer", "rellena", "añade", "agrega", "crea",
	"compila", "aggiungi", "preencha", "adicione", "crie", "vul", "voeg", "maak", "заполни", "добавь", "создай", "填写", "添加", "创建",
}

func fills(query string) bool { return entering.In(query) }

// probability is that of a long task.
func probability(fs []feature) float64 {
	sum := 0.0
	for _, f := range fs {
		sum += weights[f.name] * f.value
	}
	return 1 / (1 + math.Exp(-sum))
}

// maxReasons is how many things are said to speak for a class.
const maxReasons = 3

// reasons are the features that speak for a class most.
func reasons(fs []feature, c Class) []string {
	for i := range fs {
		fs[i].value *= weights[fs[i].name]
		if c == Simple {
			fs[i].value = -fs[i].value
		}
	}
	slices.SortStableFunc(fs, func(a, b feature) int { return cmp.Compare(b.value, a.value) })
	var out []string
	for _, f := range fs {
		if f.said != "" && f.value > 0 && len(out) < maxReasons {
			out = append(out, f.said)
		}
	}
	if out == nil {
		out = []string{"Nothing in the query stands out."}
	}
	return out
}

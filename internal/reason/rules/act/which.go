package act

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// askWhich asks the user to choose between elements that fit equally, and says so if
// the last reply did not decide it.
func askWhich(v *View, what string, list []page.Element) Move {
	m := which(what, list)
	if n := len(v.replies); n > 0 && pointing(v, v.replies[n-1]) {
		m.Question = "I cannot tell which one " + text.Quoted(v.replies[n-1]) + " is: I only know what is written on them and where they stand. " + m.Question
	}
	return m
}

// pointing reports whether a reply points at one of several things.
func pointing(v *View, reply string) bool {
	return slices.ContainsFunc(v.key(reply), func(w string) bool { return pointers[w] || ordinals[w] != 0 })
}

func which(what string, list []page.Element) Move {
	names := tellApart(list)
	if n := len(places); len(names) > n {
		names = append(names[:n:n], fmt.Sprintf("%d more", len(names)-n))
	}
	return ask([]string{what}, "I found more than one match for %s: %s. Which one do you mean?", what, strings.Join(names, ", "))
}

// tellApart describes elements so that the user can name one of them: those with the
// same name by their group or row too, and if that is the same as well, by their place
// in the list.
func tellApart(list []page.Element) []string {
	alike, same := map[string]int{}, map[string]int{}
	for _, e := range list {
		alike[strings.ToLower(e.Label())]++
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = page.Describe(e)
		if where := whereabouts(e); where != "" && alike[strings.ToLower(e.Label())] > 1 {
			names[i] += " in “" + page.Cut(where, 60) + "”"
		}
		same[names[i]]++
	}
	for i, name := range names {
		if same[name] > 1 && i < len(places) {
			names[i] += " (the " + places[i] + ")"
		}
	}
	return names
}

// whereabouts is the group or row by which a person would name the place of an
// element.
func whereabouts(e page.Element) string {
	if e.Group != "" {
		return e.Group
	}
	return e.Row
}

// chosenInReply is the one candidate a reply points at: by its name, its group or its
// place in the list that was asked about. The latest reply that points at one counts.
func chosenInReply(v *View, list []page.Element) (page.Element, bool) {
	if len(v.replies) == 0 || len(list) == 0 {
		return page.Element{}, false
	}
	c := candidatesOf(v, list)
	for _, r := range slices.Backward(v.replies) {
		if v.late() {
			break
		}
		if i := c.pointedAt(r, v.key(r)); i >= 0 {
			return list[i], true
		}
	}
	return page.Element{}, false
}

// candidates are elements with what a reply may call them.
type candidates struct {
	list  []page.Element
	names []string
	// traits are the words a reply may use for each of them.
	traits [][]string
}

func candidatesOf(v *View, list []page.Element) candidates {
	c := candidates{list, tellApart(list), make([][]string, len(list))}
	for i, e := range list {
		c.traits[i] = slices.Concat(v.key(c.names[i]), v.key(e.Label()), v.key(e.Group), v.key(e.Row), v.key(e.Hint), []string{e.Role})
	}
	return c
}

// pointedAt is the index of the only element a reply, in these words, can mean, -1 if
// there is none or more than one.
func (c candidates) pointedAt(reply string, ws []string) int {
	if i := c.only(func(i int) bool { return text.Same(reply, c.list[i].Name) || text.Same(reply, c.names[i]) }); i >= 0 {
		return i
	}
	said := text.Without(ws, replyWords)
	each := once(said)
	named := c.only(func(i int) bool { return text.Subset(each, c.traits[i]) })
	return agreed(named, c.placedAt(said))
}

// once drops repeated words.
func once(ws []string) []string {
	seen := make(map[string]bool, len(ws))
	var out []string
	for _, w := range ws {
		if !seen[w] {
			out = append(out, w)
		}
		seen[w] = true
	}
	return out
}

// placedAt reads "the second". With further words, as in "the second Save", it may
// count the elements these fit, or all.
func (c candidates) placedAt(said []string) int {
	at := slices.IndexFunc(said, func(w string) bool { return ordinals[w] != 0 })
	if at < 0 {
		return -1
	}
	n, rest := ordinals[said[at]], once(slices.Delete(slices.Clone(said), at, at+1))
	var all, fitting []int
	for i := range c.list {
		all = append(all, i)
		if len(rest) == 0 || text.Subset(rest, c.traits[i]) {
			fitting = append(fitting, i)
		}
	}
	ofAll := nth(all, n)
	if !slices.Contains(fitting, ofAll) {
		ofAll = -1
	}
	return agreed(ofAll, nth(fitting, n))
}

// nth is the element at place n, counted from 1 or, with -1, from the end; -1 if there
// is none.
func nth(list []int, n int) int {
	if n < 0 {
		n += len(list) + 1
	}
	if n < 1 || n > len(list) {
		return -1
	}
	return list[n-1]
}

// agreed is the index on which two readings of a reply agree; -1 stands for no
// reading.
func agreed(a, b int) int {
	switch {
	case a < 0:
		return b
	case b < 0 || a == b:
		return a
	}
	return -1
}

// only is the index of the one element for which holds is true, -1 if there is not
// exactly one.
func (c candidates) only(holds func(i int) bool) int {
	only := -1
	for i := range c.list {
		if !holds(i) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

var (
	// replyWords mean nothing in a reply to "which one?".
	replyWords = words.Set("reply")
	// places are the ordinals of the elements a question lists.
	places   = words.List("place")
	ordinals = func() map[string]int {
		m := map[string]int{}
		for _, list := range [][]string{places, words.List("place-figure")} {
			for i, w := range list {
				m[w] = i + 1
			}
		}
		for w := range words.Set("place-last") {
			m[w] = -1
		}
		return m
	}()
	pointers = words.Set("pointing")
)

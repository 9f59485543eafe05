package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// which asks the user to choose between controls or fields that fit equally, and
// says so where a reply to that did not decide it.
func (v *view) which(what string, list []page.Element) move {
	m := which(what, list)
	if n := len(v.replies); n > 0 && v.pointing(v.replies[n-1]) {
		m.question = "I cannot tell which one " + quoted(v.replies[n-1]) + " is: I only know what is written on them and where they stand. " + m.question
	}
	return m
}

// pointing reports a reply that points at one of several things.
func (v *view) pointing(reply string) bool {
	return slices.ContainsFunc(v.key(reply), func(w string) bool { return w == "one" || w == "mean" || ordinals[w] != 0 })
}

func which(what string, list []page.Element) move {
	names := tellApart(list)
	if n := len(places); len(names) > n {
		names = append(names[:n:n], fmt.Sprintf("%d more", len(names)-n))
	}
	return ask([]string{what}, "I found more than one match for %s: %s. Which one do you mean?", what, strings.Join(names, ", "))
}

// tellApart describes elements so that the user can name one of them: those of
// one name by their group too, and where that does not tell, by their place in
// the list.
func tellApart(list []page.Element) []string {
	alike, same := map[string]int{}, map[string]int{}
	for _, e := range list {
		alike[strings.ToLower(label(e))]++
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = page.Describe(e)
		if where := whereabouts(e); where != "" && alike[strings.ToLower(label(e))] > 1 {
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

// whereabouts is what a person would call the place of an element by.
func whereabouts(e page.Element) string {
	if e.Group != "" {
		return e.Group
	}
	return e.Row
}

// choice is the one candidate a reply of the user points at: by its name, its
// group or its place in the list that was asked about. The latest reply that
// points at one counts.
func (v *view) choice(list []page.Element) (page.Element, bool) {
	if len(v.replies) == 0 || len(list) == 0 {
		return page.Element{}, false
	}
	c := v.candidates(list)
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

// candidates are elements with what a reply may call them by.
type candidates struct {
	list  []page.Element
	names []string
	// traits are the words by which a reply may mean each of them.
	traits [][]string
}

func (v *view) candidates(list []page.Element) candidates {
	c := candidates{list, tellApart(list), make([][]string, len(list))}
	for i, e := range list {
		c.traits[i] = slices.Concat(v.key(c.names[i]), v.key(label(e)), v.key(e.Group), v.key(e.Row), v.key(e.Hint), []string{e.Role})
	}
	return c
}

// pointedAt is the index of the only element a reply, in these words, means, -1 if
// it means none or could mean several.
func (c candidates) pointedAt(reply string, ws []string) int {
	if i := c.only(func(i int) bool { return sameText(reply, c.list[i].Name) || sameText(reply, c.names[i]) }); i >= 0 {
		return i
	}
	said := without(ws, replyWords)
	each := once(said)
	named := c.only(func(i int) bool { return subset(each, c.traits[i]) })
	return agreed(named, c.placedAt(said))
}

// once leaves each word where it stands first.
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

// placedAt reads "the second", also with words that go for several elements:
// "the second Save" may count those or all.
func (c candidates) placedAt(said []string) int {
	at := slices.IndexFunc(said, func(w string) bool { return ordinals[w] != 0 })
	if at < 0 {
		return -1
	}
	n, rest := ordinals[said[at]], once(slices.Delete(slices.Clone(said), at, at+1))
	var all, fitting []int
	for i := range c.list {
		all = append(all, i)
		if len(rest) == 0 || subset(rest, c.traits[i]) {
			fitting = append(fitting, i)
		}
	}
	ofAll := nth(all, n)
	if !slices.Contains(fitting, ofAll) {
		ofAll = -1
	}
	return agreed(ofAll, nth(fitting, n))
}

// nth is the element at place n, counted from 1 or, with -1, from the end; -1
// where there is none.
func nth(list []int, n int) int {
	if n < 0 {
		n += len(list) + 1
	}
	if n < 1 || n > len(list) {
		return -1
	}
	return list[n-1]
}

// agreed is the index two readings of a reply come to, where those that have
// one (not -1) have the same.
func agreed(a, b int) int {
	switch {
	case a < 0:
		return b
	case b < 0 || a == b:
		return a
	}
	return -1
}

// only is the index of the only one something holds of, -1 if it is not one.
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
	// replyWords carry no meaning in a reply to the question which one.
	replyWords = set("one i mean click press use take choose pick select row section region area group")
	// places is as many elements as a question lists.
	places   = []string{"first", "second", "third", "fourth", "fifth", "sixth"}
	ordinals = func() map[string]int {
		m := map[string]int{"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6, "last": -1}
		for i, w := range places {
			m[w] = i + 1
		}
		return m
	}()
)

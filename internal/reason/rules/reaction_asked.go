package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// What speaks against a success by the user's words: of several things alike they
// named one, and what changed, went or is spoken of is another.

// changedUnasked reports that something changed or came whose name differs from that
// of another one by words the user did not say, while the user said those of the
// other, which is as it was.
func (c *evidenceCase) changedUnasked() bool {
	asked := c.askedFor()
	touched := map[string]bool{}
	for _, o := range slices.Concat(c.changed, c.own, c.gone) {
		touched[o.Key] = true
	}
	for _, o := range c.changed {
		if o.Attr != page.AttrValue && o.Attr != page.AttrChecked && o.Attr != page.AttrSelected {
			continue
		}
		e, ok, _ := c.again(o.Key)
		name := c.key(label(e))
		if !ok || len(name) < 2 {
			continue
		}
		for _, d := range c.q.Before.Skeleton.Elements {
			other := c.key(d.Name)
			if d.Role != e.Role || touched[d.Key] || len(other) < 2 || name[0] != other[0] && name[len(name)-1] != other[len(other)-1] {
				continue
			}
			if within(apartWords(other, name), asked) && !slices.ContainsFunc(apartWords(name, other), func(w string) bool { return asked[w] }) {
				return true
			}
		}
	}
	return false
}

// tookUnasked reports that of those alike one is gone that the user did not name,
// while one the user named is still there. Where more than one is gone a list was
// narrowed, or drawn anew.
func (c *evidenceCase) tookUnasked() bool {
	there := map[thing]bool{}
	for _, e := range c.q.Page.Elements {
		for _, t := range c.things(e.Role, label(e), e.Value) {
			there[t] = true
		}
	}
	gone, left := map[string][][]string{}, map[string][][]string{}
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Key == c.q.Target.Key {
			continue
		}
		for _, t := range c.things(d.Role, d.Name, d.Value) {
			if there[t] {
				left[t.family] = append(left[t.family], c.key(t.text))
			} else {
				gone[t.family] = append(gone[t.family], c.key(t.text))
			}
		}
	}
	for family, names := range gone {
		named := func(other []string) bool {
			return c.asks(apartWords(other, names[0])) && !c.asks(apartWords(names[0], other))
		}
		if len(names) == 1 && slices.ContainsFunc(left[family], named) {
			return true
		}
	}
	return false
}

// thing is what one of several controls alike is about, by its name or by what it
// holds.
type thing struct{ family, text string }

// things are those a control is about: among those whose names begin or end alike, and
// among fields of one name.
func (c *evidenceCase) things(role, name, value string) []thing {
	var list []thing
	if ws := c.key(name); len(ws) > 1 {
		list = append(list, thing{role + " " + ws[0] + " -", name}, thing{role + " - " + ws[len(ws)-1], name})
	}
	if name != "" && len(c.key(value)) > 1 {
		list = append(list, thing{role + ": " + name, value})
	}
	return list
}

// maxAlike is how many of one kind are compared with each other.
const maxAlike = 200

// families are the names, in words, of the controls of the page before that are called
// alike.
func (c *evidenceCase) families() map[string][][]string {
	families := map[string][][]string{}
	for _, d := range c.q.Before.Skeleton.Elements {
		for _, t := range c.things(d.Role, d.Name, "") {
			families[t.family] = append(families[t.family], c.key(t.text))
		}
	}
	maps.DeleteFunc(families, func(_ string, names [][]string) bool { return len(names) > maxAlike })
	return families
}

// saysUnasked reports that a new line of text has the name of one of those alike that
// the user did not name, and none has that of the one the user named.
func (c *evidenceCase) saysUnasked() bool {
	said := map[string]bool{}
	for _, o := range slices.Concat(c.texts, c.alerts) {
		for _, w := range c.key(o.To) {
			said[w] = true
		}
	}
	for _, text := range c.inOneBreath() {
		for _, w := range c.key(text) {
			said[w] = true
		}
	}
	came := func(w string) bool { return said[w] }
	for _, family := range c.families() {
		for _, other := range family {
			if !slices.ContainsFunc(other, came) {
				continue
			}
			for _, named := range family {
				theirs, asked := apartWords(other, named), apartWords(named, other)
				if len(theirs) > 0 && c.asks(asked) && !c.asks(theirs) && !slices.ContainsFunc(asked, came) &&
					!slices.ContainsFunc(theirs, func(w string) bool { return !said[w] || digits(w) == w }) {
					return true
				}
			}
		}
	}
	return false
}

// keepsSilent reports that the user named one of several things alike, and nothing
// that came, went or changed says which one it was.
func (c *evidenceCase) keepsSilent() bool {
	said := maps.Clone(c.newWords())
	for _, o := range c.gone {
		if o.Key != c.q.Target.Key {
			for _, w := range c.key(o.Text) {
				said[w] = true
			}
		}
	}
	named := false
	for _, family := range c.families() {
		for _, one := range family {
			for _, other := range family {
				for _, w := range apartWords(one, other) {
					switch {
					case !c.asks([]string{w}):
					case said[w]:
						return false
					default:
						named = true
					}
				}
			}
		}
	}
	return named
}

// inAnotherRow reports rows drawn anew of which one has what is new, and another the
// number that the user named.
func (c *evidenceCase) inAnotherRow() bool {
	heard, own := events(c.q.Witness.RecentEvents), map[string]bool{}
	var rows []string
	for _, text := range c.inOneBreath() {
		for _, w := range c.key(text) {
			own[w] = true
		}
		rows = append(rows, text)
	}
	if len(rows) == 0 {
		return false
	}
	entered := map[string]bool{}
	for _, d := range c.filled() {
		for _, w := range c.key(d.Value) {
			entered[w] = true
		}
	}
	elsewhere := false
	for _, text := range heard {
		if slices.Contains(rows, text) || !c.sameShape(text, rows[0]) {
			continue
		}
		for _, w := range c.key(text) {
			elsewhere = elsewhere || len(digits(w)) > 1 && !own[w] && !entered[w] && c.asks([]string{w})
		}
	}
	for w := range own {
		if len(w) > 2 && !entered[w] && c.asks([]string{w}) {
			return false // the row has something of it too
		}
	}
	return elsewhere
}

// sameShape reports two rows of one table: they have about as many words.
func (c *evidenceCase) sameShape(a, b string) bool {
	n, m := len(c.key(a)), len(c.key(b))
	return n > 2 && m > 2 && max(n-m, m-n) <= 2
}

// saysNothing reports that nothing of what came has a word of the user's, or of the
// target's name, nor has a form been sent.
func (c *evidenceCase) saysNothing() bool {
	for _, d := range c.filled() {
		if e, ok, _ := c.again(d.Key); !ok || e.Value == "" {
			return false
		}
	}
	mine := c.key(label(c.q.Target))
	for w := range c.newWords() {
		if len(w) > 3 && (slices.Contains(mine, w) || c.asks([]string{w})) {
			return false
		}
	}
	return true
}

// displaced reports that what was added by a field that is still there is what another
// control of the page is called after now, and nothing after what it was called before.
func (c *evidenceCase) displaced() bool {
	for _, d := range c.filled() {
		if e, ok, _ := c.again(d.Key); !ok || e.Value != "" {
			continue
		}
		if slices.ContainsFunc(c.changed, func(o page.Observation) bool {
			return o.Attr == page.AttrText && strings.Contains(o.To, d.Value) && !strings.Contains(o.From, d.Value) &&
				sharesEnd(c.key(o.From), c.key(o.To)) && !c.isThere(apartWords(c.key(o.From), c.key(o.To)))
		}) {
			return true
		}
	}
	return false
}

// isThere reports a control of the page with all of some words in its name.
func (c *evidenceCase) isThere(ws []string) bool {
	return slices.ContainsFunc(c.q.Page.Elements, func(e page.Element) bool { return subset(ws, c.key(label(e))) })
}

// otherNumber reports a message with a number behind a word behind which the user said
// another one: court 3 for court 1.
func (c *evidenceCase) otherNumber() bool {
	asked := numbered(c.q.Query)
	if len(asked) == 0 {
		return false
	}
	said := map[[2]string]bool{}
	for _, o := range slices.Concat(c.texts, c.alerts) {
		for _, pair := range numbered(o.To) {
			said[pair] = true
		}
	}
	for _, pair := range asked {
		other := false
		for s := range said {
			other = other || s[0] == pair[0]
		}
		if other && !said[pair] {
			return true
		}
	}
	return false
}

// numbered are the words of a text that have a number behind them, with it.
func numbered(s string) (pairs [][2]string) {
	ws := words(s)
	for i := 1; i < len(ws); i++ {
		if isNumber(ws[i]) && len([]rune(ws[i-1])) > 2 && digits(ws[i-1]) == "" {
			pairs = append(pairs, [2]string{ws[i-1], ws[i]})
		}
	}
	return pairs
}

// isTwin reports a control of whose name there are others.
func (c *evidenceCase) isTwin() bool {
	n := 0
	for _, d := range c.q.Before.Skeleton.Elements {
		n += count(d.Role == c.q.Target.Role && d.Name == c.q.Target.Name)
	}
	return n > 1 && c.q.Target.Name != ""
}

// saysAsked reports that a word of the user's came, which is not one of the target's
// name.
func (c *evidenceCase) saysAsked() bool {
	mine := c.key(label(c.q.Target))
	for w := range c.newWords() {
		if len(w) > 2 && !slices.Contains(mine, w) && c.asks([]string{w}) {
			return true
		}
	}
	return false
}

// asks reports whether the user said one of the words.
func (c *evidenceCase) asks(ws []string) bool {
	asked := c.askedFor()
	return slices.ContainsFunc(ws, func(w string) bool {
		return asked[w] || len(w) > len([]rune(w)) && strings.Contains(c.index.query, w)
	})
}

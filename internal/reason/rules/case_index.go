package rules

import "strings"

// caseIndex has what the rules of a verdict ask of the task and of both pages over
// and over, each found out once.
type caseIndex struct {
	asked map[string]bool // the words of the task
	query string          // the task in lower case
	had   map[string]bool // the keys of the page before
	names []string        // what controls and their options are called
	asks  *bool           // whether the page wants what was pressed to be confirmed
}

// askedFor are the words of the task.
func (c *evidenceCase) askedFor() map[string]bool {
	if c.index.asked == nil {
		c.index.asked, c.index.query = asSet(c.key(c.q.Query)), strings.ToLower(c.q.Query)
	}
	return c.index.asked
}

// had reports whether an element of the page before has the key.
func (c *evidenceCase) had(key string) bool {
	if c.index.had == nil {
		c.index.had = map[string]bool{}
		for _, d := range c.q.Before.Skeleton.Elements {
			c.index.had[d.Key] = d.Key != ""
		}
	}
	return c.index.had[key]
}

// controlNames are what the controls of the page and their options are called, where
// that is more than two characters.
func (c *evidenceCase) controlNames() []string {
	if c.index.names != nil {
		return c.index.names
	}
	c.index.names = []string{}
	add := func(s string) {
		if len([]rune(s)) > 2 {
			c.index.names = append(c.index.names, s)
		}
	}
	for _, e := range c.q.Page.Elements {
		add(label(e))
		for _, o := range e.Options {
			add(o.Label)
		}
	}
	return c.index.names
}

// trigramSet are the runs of three bytes of a text, by hash: a text of a thousand
// characters is asked for twenty thousand names, and has hardly one of them.
type trigramSet [1 << 9]uint64

func trigrams(text string) *trigramSet {
	var set trigramSet
	for i := 0; i+3 <= len(text); i++ {
		h := trigram(text[i:])
		set[h>>6] |= 1 << (h & 63)
	}
	return &set
}

func trigram(s string) uint32 {
	return (uint32(s[0])<<16 | uint32(s[1])<<8 | uint32(s[2])) * 2654435761 >> 17
}

// mayHold reports whether all runs of three bytes of a name are among those of the
// text: else the text does not hold it.
func (set *trigramSet) mayHold(name string) bool {
	for i := 0; i+3 <= len(name); i++ {
		if h := trigram(name[i:]); set[h>>6]&(1<<(h&63)) == 0 {
			return false
		}
	}
	return true
}

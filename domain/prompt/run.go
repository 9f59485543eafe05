package prompt

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// minRun is how many elements are worth a line that says they are left out.
const minRun = 4

// run is elements that follow each other and are left out.
type run struct {
	count  int
	kinds  [len(kindNames)]int
	groups int // rows, sections and the like
	group  string
}

var kindNames = [...]string{"link", "button", "field", "other"}

func (r *run) add(e page.Element) {
	r.count++
	switch {
	case e.Role == "link":
		r.kinds[0]++
	case e.IsField() || e.IsTick():
		r.kinds[2]++
	case e.IsControl():
		r.kinds[1]++
	default:
		r.kinds[3]++
	}
	if e.Group != "" && e.Group != r.group {
		r.groups, r.group = r.groups+1, e.Group
	}
}

// kindsOnly counts the elements by kind: "40 links, 2 buttons".
func (r *run) kindsOnly() string {
	var parts []string
	for i, n := range r.kinds {
		switch {
		case n == 0:
		case kindNames[i] == "other":
			parts = append(parts, fmt.Sprintf("%d more", n))
		default:
			parts = append(parts, plural(n, kindNames[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// String also says in how many rows or sections they are.
func (r *run) String() string {
	switch {
	case r.groups > 1:
		return fmt.Sprintf("%s, in %d rows or sections", r.kindsOnly(), r.groups)
	case r.groups == 1 && Tokens(quote(r.group, 20)) <= omission/2:
		return fmt.Sprintf("%s, in %s", r.kindsOnly(), quote(r.group, 20))
	}
	return r.kindsOnly()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func count(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// confirmedGone: the answer to "are you sure?" went with its question, and the control
// that made the page ask went with the thing the user named.
func (c *evidenceCase) confirmedGone() (finding, bool) {
	if !c.isClick() || c.present || c.moved || len(c.errors)+len(c.waits) > 0 || !page.ClickMaySubmit(c.q.Target) || declines(label(c.q.Target), words(label(c.q.Target))) {
		return silent()
	}
	asked, ok := c.askedBy()
	if !ok || c.lex.In(lexicon.Undo, asked.Name) {
		return silent()
	}
	if _, still, _ := c.again(asked.Key); still && asked.Key != "" {
		return silent()
	}
	left := c.wordsLeft()
	named := slices.DeleteFunc(slices.Concat(c.key(asked.Group), c.key(asked.Name)), func(w string) bool {
		return left[w] || !slices.Contains(c.key(c.q.Query), w)
	})
	if len(named) == 0 {
		return silent()
	}
	return found(0.85, "%s was confirmed, and what it was about is gone.", quoted(asked.Name))
}

// askedBy is the control whose click, the last step before this one, made the page
// ask, as it was behind the question.
func (c *evidenceCase) askedBy() (page.Descriptor, bool) {
	for _, s := range slices.Backward(c.q.Steps) {
		switch {
		case s.Action == c.q.Action && !s.Succeeded, s.Action.Name == action.Wait, s.Action.Name == action.Scroll:
			continue // this one, or a look between
		case s.Action.Name != action.Click || !s.Succeeded:
			return page.Descriptor{}, false
		}
		i := slices.IndexFunc(c.q.Before.Skeleton.Elements, func(d page.Descriptor) bool {
			return d.ID == s.Action.Target && page.Describe(page.Element{Role: d.Role, Name: d.Name}) == s.Target && page.ClickMaySubmit(page.Element{Role: d.Role, Name: d.Name})
		})
		if i < 0 { // the question stood in its place
			_, name, _ := strings.Cut(s.Target, ` "`)
			asked := page.Descriptor{Name: strings.TrimSuffix(name, `"`), Group: c.q.Target.Group}
			return asked, page.ClickMaySubmit(page.Element{Role: "button", Name: asked.Name})
		}
		return c.q.Before.Skeleton.Elements[i], true
	}
	return page.Descriptor{}, false
}

// wordsLeft are all words of the page now.
func (c *evidenceCase) wordsLeft() map[string]bool {
	left := map[string]bool{}
	take := func(text string) {
		for _, w := range c.key(text) {
			left[w] = true
		}
	}
	take(c.q.Page.Text)
	for _, e := range c.q.Page.Elements {
		take(e.Name)
		take(e.Group)
	}
	return left
}

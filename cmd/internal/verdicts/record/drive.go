package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/dom"
)

// drive does one case from an empty tab to its truth.
func drive(ctx context.Context, b *browser.Browser, p verdicts.Page, c verdicts.Case) (verdicts.Recorded, error) {
	none := verdicts.Recorded{}
	s, err := serve(p, c)
	if err != nil {
		return none, err
	}
	defer s.close()
	tab, err := b.NewTab(ctx)
	if err != nil {
		return none, err
	}
	defer tab.Close()
	if err := tab.Open(ctx, s.address(c)); err != nil {
		return none, err
	}
	d := &driver{tab: tab, hand: browser.NewHand(tab, c.Goal), site: s}
	for i, step := range c.Setup {
		if err := d.prepare(ctx, step); err != nil {
			return none, fmt.Errorf("setup %d: %w", i, err)
		}
	}
	if err := d.refuseForegone(ctx, c); err != nil {
		return none, err
	}
	before, a, err := d.aim(ctx, c.Do)
	if err != nil {
		return none, err
	}
	if _, err := d.hand.Do(ctx, a); err != nil {
		return none, err
	}
	after, _, err := d.hand.Request(ctx)
	if err != nil {
		return none, err
	}
	if err := wait(ctx, c.Settle()); err != nil {
		return none, err
	}
	worked, err := d.truth(ctx, c.Worked)
	if err != nil {
		return none, err
	}
	r := verdicts.Recorded{
		Name: c.Name, Kind: c.Kind, Page: p.Name, Split: p.Split, Language: p.Language,
		Goal: c.Goal, Thought: c.Thought, Action: s.normal(a.String()), Worked: worked,
	}
	if r.Before, err = s.evened(before); err != nil {
		return none, err
	}
	r.Request, err = s.evened(after)
	return r, err
}

// driver is one case under way.
type driver struct {
	tab  *browser.Tab
	hand *browser.Hand
	site *site
}

// prepare does a step that must succeed.
func (d *driver) prepare(ctx context.Context, step verdicts.Step) error {
	_, a, err := d.aim(ctx, step)
	if err != nil {
		return err
	}
	r, err := d.hand.Do(ctx, a)
	if err == nil && r.Error != nil {
		err = r.Error
	}
	return err
}

// aim captures the page and makes the step an action on it.
func (d *driver) aim(ctx context.Context, step verdicts.Step) (body []byte, a action.Action, err error) {
	body, shown, err := d.hand.Request(ctx)
	if err != nil {
		return nil, a, err
	}
	if !step.HasTarget() {
		return body, step.On("", shown.URL), nil
	}
	read, err := dom.Reader{}.Read(shown.Capture)
	if err != nil {
		return nil, a, err
	}
	e, err := target(read, step)
	return body, step.On(e.ID, shown.URL), err
}

// target finds the one element a step is for, as a reasoner is shown it.
func target(p page.Page, step verdicts.Step) (page.Element, error) {
	var fit []page.Element
	for _, e := range p.Elements {
		if e.ID != "" && !e.State.Hidden && e.Role == step.Role && page.Clean(e.Name) == page.Clean(step.Name) &&
			(step.Group == "" || page.Clean(e.Group) == page.Clean(step.Group)) {
			fit = append(fit, e)
		}
	}
	what := fmt.Sprintf("%s %q", step.Role, step.Name)
	switch {
	case step.Nth == nil && len(fit) != 1, step.Nth != nil && (*step.Nth < 0 || *step.Nth >= len(fit)):
		return page.Element{}, fmt.Errorf("the page has %d elements %s; it has:%s", len(fit), what, listed(p))
	}
	e := fit[0]
	if step.Nth != nil {
		e = fit[*step.Nth]
	}
	if e.State.Disabled && step.Action != action.Hover && step.Action != action.Scroll {
		return page.Element{}, fmt.Errorf("%s is disabled: no reasoner can choose it", what)
	}
	return e, nil
}

// listed is what there is to choose from, for who wrote the case.
func listed(p page.Page) string {
	var b strings.Builder
	for _, e := range p.Elements {
		if e.ID != "" && !e.State.Hidden {
			_, _ = fmt.Fprintf(&b, " %s %q;", e.Role, e.Name)
		}
	}
	return b.String()
}

// truth asks the page whether the action worked.
func (d *driver) truth(ctx context.Context, expression string) (bool, error) {
	value, err := d.tab.Evaluate(ctx, "(async () => ("+expression+"))()")
	if err != nil {
		return false, fmt.Errorf("worked: %w", err)
	}
	var worked *bool
	if err := json.Unmarshal(value, &worked); err != nil || worked == nil {
		return false, fmt.Errorf("worked is neither true nor false but %s", value)
	}
	return *worked, nil
}

// errForegone is a truth that says nothing about the action.
var errForegone = errors.New(`worked is true before the action already; if it must be, say "holds": true`)

// refuseForegone refuses a case whose truth holds before the action. One that
// cannot be asked yet does not hold yet.
func (d *driver) refuseForegone(ctx context.Context, c verdicts.Case) error {
	holds, err := d.truth(ctx, c.Worked)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && holds && !c.Holds:
		return errForegone
	}
	_, err = d.tab.WaitStable(ctx)
	return err
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

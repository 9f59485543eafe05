package rules

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// Rules that judge what the page made of a click. What is counted as the action's
// doing has to belong to it: to lead where the link leads, to show what was
// entered, to stand beside the control.

// pageOpened judges a place that was opened by where the control was to lead.
func (c *evidenceCase) pageOpened() (finding, bool) {
	if !c.clicks() || !c.moved && !c.jumped {
		return silent()
	}
	to := c.q.Page.URL
	switch {
	case c.askedToLogIn():
		return found(0.15, "Instead of it a page to log in was opened: %s", to)
	case !c.reacted() && !c.blind():
		return unsure("The address changed to %s, but the page did not.", to)
	case c.jumped:
		return silent()
	case c.badPage() != "":
		return found(0.15, "Another page was opened, which says: %s", quoted(c.badPage()))
	case c.leadsTo(to), c.isAbout(c.q.Page):
		return found(0.95, "Another page was opened: %s", to)
	case linkRoles[c.q.Target.Role], !c.stillForm(), c.queried(to):
		return found(0.85, "Another page was opened: %s", to)
	}
	return unsure("Another page was opened, which may not be the one: %s", to)
}

// queried reports whether the address asks for what was entered.
func (c *evidenceCase) queried(to string) bool {
	u, err := url.Parse(to)
	if err != nil {
		return false
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if slices.ContainsFunc(c.filled(), func(d page.Descriptor) bool { return d.Value == v }) {
				return true
			}
		}
	}
	return false
}

var linkRoles = set("link menuitem treeitem")

// leadsTo reports whether the page open now is the one the link named.
func (c *evidenceCase) leadsTo(to string) bool {
	href := c.q.Target.Href
	if c.q.Target.Role != "link" || href == "" || nowhere(href) {
		return false
	}
	path, _, _ := strings.Cut(href, "#")
	_, path, _ = strings.Cut("/"+path, "//") // without scheme
	if path == "" {
		path = href
	}
	return strings.Contains(place(to), strings.Trim(strings.TrimLeft(path, "./"), "/"))
}

// isAbout reports whether a page's title or one of its first two headings says
// what the control is called.
func (c *evidenceCase) isAbout(p page.Page) bool {
	want := key(label(c.q.Target))
	for _, says := range append([]string{p.Title}, p.Headings[:min(len(p.Headings), 2)]...) {
		if subset(want, key(says)) {
			return true
		}
	}
	return false
}

// badPage is what a page says that shows little else: that something went wrong,
// or that it is not there. An article about such things has more to it.
func (c *evidenceCase) badPage() string {
	if len(c.texts) > 4 || c.isAbout(c.q.Page) || c.queried(c.q.Page.URL) { // a search may find nothing
		return ""
	}
	var says []string
	for _, o := range c.texts {
		if len(words(o.To)) <= 8 {
			says = append(says, o.To)
		}
	}
	if h := c.q.Page.Headings; len(h) > 0 && len(words(h[0])) <= 4 {
		says = append(says, h[0])
	}
	for _, s := range says {
		if toneOf(s) == bad || noPageWords.In(s) {
			return s
		}
	}
	return ""
}

// askedToLogIn reports a password field, a field and a button to sign in, or a
// heading that says so, where there were none, and nobody wanted to log in.
func (c *evidenceCase) askedToLogIn() bool {
	if loginWords.In(label(c.q.Target)) || loginWords.In(c.q.Query) {
		return false
	}
	if c.moved && len(c.q.Page.Headings) > 0 && len(words(c.q.Page.Headings[0])) <= 4 && signInWords.In(c.q.Page.Headings[0]) {
		return true
	}
	field, secret := false, false
	button := slices.ContainsFunc(c.texts, func(o page.Observation) bool { return len(words(o.To)) <= 6 && signInWords.In(o.To) })
	for _, e := range c.q.Page.Elements {
		if e.State.Hidden || c.q.Before.Skeleton.Has(e.Key) {
			continue
		}
		secret = secret || e.State.Secret
		field = field || e.Role == "textbox"
		button = button || e.Role == "button" && signInWords.In(label(e))
	}
	return button && (field || secret) || secret && c.moved
}

// stillForm reports whether a field that was filled in is still there.
func (c *evidenceCase) stillForm() bool {
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role != "textbox" && d.Role != "combobox" {
			continue
		}
		if _, ok, twins := c.again(d.Key); ok || twins {
			return true
		}
	}
	return false
}

// listOpened expects of a control with a popup that it opened and no more
// (spec: dropdown-aware verification).
func (c *evidenceCase) listOpened() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.opensList() || c.moved {
		return silent()
	}
	name := quoted(label(c.q.Target))
	items := slices.ContainsFunc(c.q.Observations, page.Observation.OpensList)
	toggled := c.present && c.target.State.Expanded != c.q.Target.State.Expanded
	open := c.target.State.Expanded == "true"
	switch {
	case items, toggled && open && (c.blind() || len(c.appeared) > 0 || slices.ContainsFunc(c.texts, c.beside)):
		return found(0.92, "%s is open.", name)
	case toggled && !open && (len(c.gone) > 0 || !c.stirred()):
		return found(0.85, "%s is closed.", name)
	case toggled:
		return unsure("%s says that it is open, but nothing was shown.", name)
	}
	return silent()
}

// opensList reads both pages: a record of the one before may be short.
func (c *evidenceCase) opensList() bool {
	return opensList(c.q.Target) || c.present && opensList(c.target)
}

func opensList(e page.Element) bool { return e.State.HasPopup || e.State.Expanded != "" }

func (c *evidenceCase) fieldFocused() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present || !isField(c.target) || len(c.own) > 0 || c.target.Role == "slider" {
		return silent()
	}
	if c.target.State.Focused || c.target.ID == c.q.Page.ActiveElement {
		return found(0.9, "The field %s has the focus.", quoted(label(c.target)))
	}
	return silent()
}

// leftThePage is about what the client saw and the page does not show.
func (c *evidenceCase) leftThePage() (finding, bool) {
	for _, e := range events(c.q.Witness.RecentEvents) {
		if strings.HasPrefix(e, "a download of ") || strings.HasPrefix(e, "a new window for ") {
			return found(0.9, "The browser reports %s.", e)
		}
	}
	return silent()
}

// chosen is a pick out of a list, a calendar, a palette: what was picked stands in
// a field or on a control now.
func (c *evidenceCase) chosen() (finding, bool) {
	if c.q.Action.Name != action.Click {
		return silent()
	}
	name := label(c.q.Target)
	picked := picks[c.q.Target.Role] || len([]rune(name)) <= 2
	for _, o := range c.changed {
		if o.Attr != page.AttrValue && o.Attr != page.AttrText || o.To == "" {
			continue
		}
		dated := digits(name) != "" && len([]rune(name)) <= 12 && hasYear(o.From+" "+o.To) && len(c.changed) <= 3
		switch {
		case dated && hasNumbers(o.To, name):
			return found(0.92, "%s was taken over.", quoted(name))
		case dated:
			return found(0.2, "Instead of %s another one was taken over: %s", quoted(name), quoted(o.To))
		case picked && name != "" && strings.Contains(o.To, name):
			return found(0.92, "%s was taken over.", quoted(name))
		}
	}
	return silent()
}

var picks = set("option menuitem menuitemradio gridcell treeitem")

// hasNumbers reports whether a text has all numbers of a name, whatever zeros
// stand before them.
func hasNumbers(text, name string) bool {
	numbers := func(s string) []string {
		list := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
		for i := range list {
			list[i] = strings.TrimLeft(list[i], "0")
		}
		return list
	}
	return subset(numbers(name), numbers(text))
}

// enteredIsShown: what a field held is now shown by the page, and the field is
// empty or gone.
func (c *evidenceCase) enteredIsShown() (finding, bool) {
	if !c.clicks() || len(c.errors) > 0 {
		return silent()
	}
	for _, d := range c.filled() {
		if e, ok, _ := c.again(d.Key); ok && e.Value != "" {
			continue
		}
		shown := func(o page.Observation) bool {
			if !strings.Contains(o.To+o.Text, d.Value) {
				return false
			}
			t := toneOf(o.To)
			return t != busy && t != bad && t != mixed && !noWords.In(strings.ReplaceAll(o.To, d.Value, " "))
		}
		if slices.ContainsFunc(c.texts, shown) || slices.ContainsFunc(c.appeared, shown) {
			return found(0.9, "The page shows %s, which was entered.", quoted(d.Value))
		}
	}
	return silent()
}

// controlChanged: the control itself says that it was pressed. One that only
// became unusable says nothing.
func (c *evidenceCase) controlChanged() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present {
		return silent()
	}
	name, disabled := quoted(label(c.target)), c.lost()
	for _, o := range c.own {
		disabled = disabled || o.Attr == page.AttrDisabled
	}
	for _, o := range c.own {
		switch o.Attr {
		case page.AttrChecked, page.AttrSelected, page.AttrValue:
			if (c.narrowing() || c.target.Role == "columnheader") && !c.reacted() && !c.blind() {
				return unsure("%s changed, but what it is to change did not.", name)
			}
			return found(0.9, "%s changed: %s.", name, o.Text)
		case page.AttrText:
			if c.target.Role == "columnheader" && !c.reacted() && !c.blind() {
				return unsure("%s changed, but the rows did not.", name)
			}
			if disabled {
				return unsure("%s changed and cannot be used any more: %s.", name, o.Text)
			}
			if mediaWords.In(label(c.q.Target)) {
				return unsure("%s changed: %s. Whether it plays cannot be read.", name, o.Text)
			}
			return found(0.85, "%s changed: %s.", name, o.Text)
		}
	}
	return silent()
}

// successMessage believes what the page says where something went out that was
// not refused. What a page says by itself may be said too early.
func (c *evidenceCase) successMessage() (finding, bool) {
	if !c.clicks() || len(c.successes) == 0 {
		return silent()
	}
	if c.q.Witness.NetworkOccurred == nil || c.net || c.moved || isTrue(c.q.Witness.URLChanged) || tracelessWords.In(label(c.q.Target)) {
		return found(0.92, "The page says %s.", quoted(c.successes[0]))
	}
	return silent()
}

// saidOnly leaves open what the page says without having sent anything: such a
// word may come before the deed.
func (c *evidenceCase) saidOnly() (finding, bool) {
	if !c.clicks() || len(c.successes) == 0 {
		return silent()
	}
	return unsure("The page says %s, but nothing was sent.", quoted(c.successes[0]))
}

// itemGone: the control went, and with it only what belongs to it; or it was there
// to close something.
func (c *evidenceCase) itemGone() (finding, bool) {
	if c.q.Action.Name != action.Click || c.present || len(c.gone) == 0 || picks[c.q.Target.Role] {
		return silent()
	}
	name := label(c.q.Target)
	switch {
	case undoWords.In(name):
		return silent() // what was undone has to show
	case closeWords.In(name), strings.Trim(name, " ×✕✖✗⨯xX") == "" && name != "":
		return found(0.88, "%s is gone, with what it was there to close.", quoted(name))
	case c.rowGone(), c.net && len(c.appeared)+len(c.errors)+len(c.texts) == 0,
		len(c.gone) == 1 && len(c.changed)+len(c.appeared)+len(c.alerts) == 0 && c.q.Witness.Removed > c.q.Witness.Added && !c.alertGone():
		return found(0.8, "%s is gone, with what belonged to it.", quoted(name))
	}
	return silent()
}

// closedOnly: what was picked is gone with its list, or what was to be undone with
// its message, and nothing else has changed.
func (c *evidenceCase) closedOnly() (finding, bool) {
	name, w := label(c.q.Target), c.q.Witness
	if c.q.Action.Name != action.Click || c.present || len(c.gone) == 0 || c.net || c.moved || w.Added > 0 {
		return silent()
	}
	effects := slices.DeleteFunc(slices.Clone(c.changed), func(o page.Observation) bool { return o.Attr == page.AttrExpanded })
	heard := events(w.RecentEvents)
	told := slices.ContainsFunc(c.texts, func(o page.Observation) bool { return c.told(o, heard) })
	if len(effects)+len(c.appeared)+len(c.alerts) > 0 || told || len(c.numbers) > 0 && c.blind() {
		return silent()
	}
	if picks[c.q.Target.Role] && len(c.gone) > 1 || undoWords.In(name) && !closeWords.In(name) {
		return found(0.2, "%s is gone, and nothing else has changed.", quoted(name))
	}
	return silent()
}

// rowGone reports that all that went stood in the row of the control.
func (c *evidenceCase) rowGone() bool {
	own := c.itemWords()
	return len(own) > 0 && len(c.errors) == 0 && !slices.ContainsFunc(c.gone, func(o page.Observation) bool { return !subset(own, key(o.Text)) }) &&
		!slices.ContainsFunc(c.appeared, func(o page.Observation) bool { return subset(own, key(o.Text)) })
}

// escaped: the Escape key closed something.
func (c *evidenceCase) escaped() (finding, bool) {
	if c.q.Action.Name != action.Press || c.q.Action.Text != "Escape" || len(c.gone) == 0 || len(c.appeared) > 0 {
		return silent()
	}
	return found(0.88, "What was open is closed: %s.", c.gone[0].Text)
}

func (c *evidenceCase) alertGone() bool {
	return slices.ContainsFunc(c.q.Observations, func(o page.Observation) bool { return o.Kind == page.AlertGone })
}

// openedInPlace: what appeared stands right behind the control, or a field right
// before it.
func (c *evidenceCase) openedInPlace() (finding, bool) {
	if c.q.Action.Name != action.Click || !c.present || len(c.appeared) == 0 || c.moved {
		return silent()
	}
	elements := c.q.Page.Elements
	at := slices.IndexFunc(elements, func(e page.Element) bool { return e.Key == c.target.Key && e.ID == c.target.ID })
	is := func(i int) bool {
		return i >= 0 && i < len(elements) && slices.ContainsFunc(c.appeared, func(o page.Observation) bool { return o.Key == elements[i].Key })
	}
	if at >= 0 && (is(at+1) || is(at-1) && isField(elements[at-1])) {
		return found(0.85, "At %s something was opened: %s.", quoted(label(c.target)), c.appeared[0].Text)
	}
	return silent()
}

// contentReplaced: a list was searched, paged or filtered: much of it is another
// now, and the control that asked for it is still there.
func (c *evidenceCase) contentReplaced() (finding, bool) {
	renamed := 0
	for _, o := range c.changed {
		if o.Attr == page.AttrText || o.Attr == page.AttrHref {
			renamed++
		}
	}
	there := c.present || c.q.Action.Name == action.Press
	if !c.clicks() || !there || len(c.errors) > 0 || c.lost() || renamed+len(c.appeared)+len(c.gone) < 4 || opensList(c.q.Target) || closeWords.In(label(c.q.Target)) {
		return silent()
	}
	dated := func(o page.Observation) bool { return hasYear(o.To) }
	onlyGone := renamed+len(c.appeared) == 0 && len(c.texts) == 0 && !c.narrowing()
	if onlyGone || slices.ContainsFunc(c.texts, dated) || slices.ContainsFunc(c.numbers, dated) {
		return silent() // a calendar may show the wrong month
	}
	if fresh(c.appeared, c.gone)+renamed == 0 && len(c.appeared) > 0 && !c.moves(label(c.q.Target)) {
		return unsure("Something was put elsewhere, but not what was asked for: %s.", c.appeared[0].Text)
	}
	return found(0.8, "Much of the content is another now: %s.", slices.Concat(c.changed, c.appeared, c.gone)[0].Text)
}

// fieldsChanged: a button that fills, swaps or empties fields.
func (c *evidenceCase) fieldsChanged() (finding, bool) {
	if c.q.Action.Name != action.Click || c.q.Target.Role != "button" || c.sends() && !clearWords.In(label(c.q.Target)) {
		return silent()
	}
	emptied, set, filled := 0, 0, 0
	for _, o := range c.changed {
		switch {
		case o.Attr != page.AttrValue:
		case o.To == "":
			emptied++
		case o.From == "":
			filled++
			set++
		default:
			set++
		}
	}
	switch {
	case emptied > 0 && clearWords.In(label(c.q.Target)):
		return found(0.9, "The form is empty.")
	case set > 0 && emptied == 0 && (c.stepsOrSwaps() || filled > 1 && filled == set):
		return found(0.85, "A field was changed by it: %s.", c.changed[0].Text)
	}
	return silent()
}

// stepsOrSwaps reports fields whose numbers went up or down, or that have each
// other's values now. A form that was drawn anew changes in other ways.
func (c *evidenceCase) stepsOrSwaps() bool {
	var was, is []string
	steps := true
	for _, o := range c.changed {
		if o.Attr != page.AttrValue {
			continue
		}
		steps = steps && (o.From == "" || isCount(o.From)) && isCount(o.To)
		was, is = append(was, o.From), append(is, o.To)
	}
	slices.Sort(was)
	slices.Sort(is)
	return steps || len(is) > 1 && slices.Equal(was, is)
}

// contentAppeared: so much came at once that it is not the page's own doing.
func (c *evidenceCase) contentAppeared() (finding, bool) {
	if !c.clicks() || len(c.errors) > 0 || c.lost() {
		return silent()
	}
	if c.askedToLogIn() {
		return found(0.15, "The page asks to log in first.")
	}
	came := fresh(c.appeared, c.gone)
	switch {
	case came > 0 && !c.brought(fieldRoles) && !c.mentionsItem():
		return silent()
	case came >= 3 && (len(c.gone) == 0 || len(c.gone) == 1 && !c.present), came >= 2 && len(c.texts) >= 2 && len(c.gone) == 0:
		if c.oneOfMany() && !c.namesTarget() {
			return unsure("Something was opened, but it does not say that it is %s.", quoted(label(c.q.Target)))
		}
		return found(0.85, "New elements appeared: %s.", c.appeared[0].Text)
	case c.net && came+len(c.texts) >= 3 && (c.present || c.q.Action.Name == action.Press):
		return found(0.85, "New content came from the server.")
	}
	return silent()
}

// lost reports a field that is gone with what was entered, which the page shows
// nowhere.
func (c *evidenceCase) lost() bool {
	for _, d := range c.filled() {
		if _, ok, twins := c.again(d.Key); ok || twins {
			continue
		}
		shown := func(e page.Element) bool { return strings.Contains(e.Name+e.Value, d.Value) }
		if !strings.Contains(c.q.Page.Text, d.Value) && !slices.ContainsFunc(c.q.Page.Elements, shown) {
			return true
		}
	}
	return false
}

// brought reports whether an element of one of the roles appeared.
func (c *evidenceCase) brought(roles map[string]bool) bool {
	return slices.ContainsFunc(c.appeared, func(o page.Observation) bool {
		role, _, _ := strings.Cut(o.Key, "|")
		return roles[role]
	})
}

// oneOfMany reports a control that stands among others of its kind: what it opens
// may be another one's.
func (c *evidenceCase) oneOfMany() bool {
	elements := c.q.Before.Skeleton.Elements
	at := slices.IndexFunc(elements, func(d page.Descriptor) bool { return d.Key == c.q.Target.Key })
	like := func(i int) bool {
		return i >= 0 && i < len(elements) && elements[i].Role == c.q.Target.Role && elements[i].Group == c.q.Target.Group && len(words(elements[i].Name)) > 0
	}
	return at >= 0 && (like(at-1) && like(at+1) || like(at+1) && like(at+2) || like(at-1) && like(at-2))
}

// namesTarget reports whether what is new has a word of the target's name.
func (c *evidenceCase) namesTarget() bool {
	says := func(o page.Observation) bool { return c.isAboutTarget(o.Text) }
	return slices.ContainsFunc(slices.Concat(c.appeared, c.texts, c.changed, c.alerts), says) ||
		slices.ContainsFunc(c.q.Page.Headings, c.isAboutTarget) && len(c.texts) > 0
}

// mentionsItem: of a control that every row of a list has, what came has to say
// which row it was.
func (c *evidenceCase) mentionsItem() bool {
	own := c.itemWords()
	if len(own) == 0 {
		return true
	}
	says := func(o page.Observation) bool {
		return slices.ContainsFunc(key(o.Text), func(w string) bool { return slices.Contains(own, w) })
	}
	return slices.ContainsFunc(slices.Concat(c.appeared, c.texts, c.changed, c.alerts), says)
}

// itemWords are the words of the target's name that tell it from others that
// share a word with it; none if there is no other.
func (c *evidenceCase) itemWords() []string {
	mine := key(label(c.q.Target))
	own, siblings := slices.Clone(mine), 0
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role != c.q.Target.Role || d.Key == c.q.Target.Key || d.Name == c.q.Target.Name {
			continue
		}
		theirs := key(d.Name)
		if len(theirs) != len(mine) || !slices.ContainsFunc(theirs, func(w string) bool { return slices.Contains(mine, w) }) {
			continue
		}
		siblings++
		own = slices.DeleteFunc(own, func(w string) bool { return slices.Contains(theirs, w) })
	}
	if siblings == 0 {
		return nil
	}
	return own
}

// fresh counts what appeared and did not only come back in another place.
func fresh(appeared, gone []page.Observation) int {
	left := map[string]int{}
	for _, o := range gone {
		_, what, _ := strings.Cut(o.Text, ": ")
		left[what]++
	}
	n := 0
	for _, o := range appeared {
		_, what, _ := strings.Cut(o.Text, ": ")
		if left[what]--; left[what] < 0 {
			n++
		}
	}
	return n
}

// moves reports whether the control itself went elsewhere, with what it stands at.
func (c *evidenceCase) moves(name string) bool {
	return name != "" && slices.ContainsFunc(c.appeared, func(o page.Observation) bool { return strings.Contains(o.Text, `"`+name+`"`) })
}

// textBeside: a text changed beside the control: a caption, a count, what a
// heading hides.
func (c *evidenceCase) textBeside() (finding, bool) {
	if c.q.Action.Name != action.Click {
		return silent()
	}
	for _, o := range slices.Concat(c.texts, c.numbers) {
		told := o.Attr != page.AttrNumber && !c.hasFields() // beside a form it may be what is wrong with it
		if c.beside(o) && !hasYear(o.To) && !wordless(label(c.target)) && (told || isCount(o.To)) {
			return found(0.8, "Beside %s now stands %s.", quoted(label(c.target)), quoted(o.To))
		}
	}
	return silent()
}

// hasFields reports whether the page has anything to fill in.
func (c *evidenceCase) hasFields() bool {
	return slices.ContainsFunc(c.q.Page.Elements, func(e page.Element) bool { return isField(e) && !e.State.Hidden && !isSearch(e) })
}

// fieldAsked: a button that brought the user back to a field of the form.
func (c *evidenceCase) fieldAsked() (finding, bool) {
	if !c.asked || c.q.Action.Name != action.Click || c.q.Target.Role != "button" || c.net || c.moved || len(c.appeared)+len(c.gone)+len(c.own)+len(c.changed) > 0 {
		return silent()
	}
	return found(0.15, "The page asks for a field first.")
}

// hasYear: which month a calendar shows is not known to be the one after.
func hasYear(s string) bool { return year.MatchString(s) }

var year = regexp.MustCompile(`(^|[^\pL\pN])(19|20)\d\d($|\PN)`)

func (c *evidenceCase) sentinel() (finding, bool) {
	if w := c.q.Witness; isTrue(w.SentinelPassed) || isTrue(w.HasSuccess) {
		return found(0.85, "The client's own check of the outcome passed.")
	} else if isFalse(w.SentinelPassed) {
		return found(0.3, "The client's own check of the outcome failed, and nothing on the page shows an effect.")
	}
	return silent()
}

// nothingOfIt: nothing that belongs to the control has changed and nothing went
// out. What else changed on the page did so by itself.
func (c *evidenceCase) nothingOfIt() (finding, bool) {
	if !c.clicks() || c.net || c.moved || c.jumped || c.mutated() || c.traceless() {
		return silent()
	}
	if len(c.own)+len(c.changed)+len(c.appeared)+len(c.gone)+len(c.alerts) > 0 || slices.ContainsFunc(c.texts, c.beside) ||
		slices.ContainsFunc(c.numbers, func(o page.Observation) bool { return isCount(o.To) }) {
		return silent()
	}
	return found(0.15, "Nothing came of %s.", actionText(c.q))
}

// promisedMore: the document stirred in ways nobody could read, but the control
// was to bring something to see. A clock stirs a document too.
func (c *evidenceCase) promisedMore() (finding, bool) {
	w := c.q.Witness
	if c.net || c.moved || c.jumped || c.stirred() || len(c.own) > 0 || w.Added+w.Removed > 0 || c.traceless() || !c.promises() ||
		slices.ContainsFunc(c.numbers, func(o page.Observation) bool { return isCount(o.To) }) {
		return silent()
	}
	return found(0.3, "The document stirred, but %s should have brought something to see.", actionText(c.q))
}

// promises reports whether the control's kind or name promises a visible result.
func (c *evidenceCase) promises() bool {
	e := c.q.Target
	if c.q.Action.Name != action.Click {
		return false
	}
	return linkRoles[e.Role] || c.opensList() || c.sends() ||
		slices.ContainsFunc(key(label(e)), func(w string) bool {
			return createWords[w] || onWords[w] || w == "open" || w == "edit" || w == "menu"
		})
}

// traceless reports a control whose work may leave nothing to read.
func (c *evidenceCase) traceless() bool {
	e := c.q.Target
	return c.q.Action.Name == action.Click && (wordless(label(e)) || tracelessWords.In(label(e)) || nowhere(e.Href))
}

package ground

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// Need is what is to be done to the element that is looked for.
type Need int

// The needs.
const (
	ToClick Need = iota // whatever can be clicked
	ToFill              // what takes a typed value
	ToSet               // what has a value, however it is given: also boxes and drawn lists
	ToTick              // what is on or off
	ToSee               // anything, also a place
)

// Containers hold other elements and are not clicked themselves.
var containers = text.Set("region dialog alertdialog form navigation main banner contentinfo complementary search list table grid treegrid tree " +
	"rowgroup tablist tabpanel toolbar menu menubar radiogroup group alert status log document application feed marquee timer progressbar separator")

// IsClickable reports whether an element can be clicked: controls and whatever else
// the page made clickable, except containers.
func IsClickable(e page.Element) bool { return !containers[e.Role] }

// needed rates an element by what is to be done to it.
func needed(need Need, e page.Element) float64 {
	switch need {
	case ToClick:
		switch {
		case !IsClickable(e), e.OtherMonth:
			return 0
		case e.IsControl() || e.IsTick():
			return 1
		case e.IsField():
			return 0.9
		}
		return 0.97
	case ToFill:
		if (e.IsField() || e.Role == "textbox") && !e.State.Readonly {
			return 1
		}
		return 0
	case ToSee:
		return 1
	case ToTick:
		if e.IsTick() || IsToggle(e) {
			return 1
		}
		return 0
	case ToSet:
		switch {
		case e.IsField() || e.IsTick() || IsDrawnList(e) || IsToggle(e) || IsSlider(e):
			return 1
		}
		return 0
	}
	return 1
}

// IsDrawnList reports a drop-down that is a button beside its label, or a combo box
// without options of its own.
func IsDrawnList(e page.Element) bool {
	if e.Caption != "" && !e.IsField() && !e.IsTick() {
		return true
	}
	return e.Role == "combobox" && e.Tag != "select" && len(e.Options) == 0 || e.State.HasPopup && e.IsControl()
}

// IsSlider reports a slider, also one that is drawn.
func IsSlider(e page.Element) bool {
	return e.Role == "slider" || !e.IsField() && !e.IsTick() && slices.ContainsFunc(text.Words(e.Hint), func(w string) bool { return sliderWords[w] })
}

var sliderWords = words.Set("slider")

// IsToggle reports a switch that is drawn: an element without a role for it, whose
// author calls it one.
func IsToggle(e page.Element) bool {
	if e.IsTick() || e.IsField() || !IsClickable(e) {
		return false
	}
	return slices.ContainsFunc(text.Words(e.Hint), func(w string) bool { return toggleWords[w] })
}

var toggleWords = words.Set("toggle")

// IsOn reports whether a box, a switch or a drawn toggle is on; known is false if the
// page does not say.
func IsOn(e page.Element) (on, known bool) {
	switch {
	case e.State.Checked != "":
		return e.State.Checked == "true", true
	case e.State.Selected:
		return true, true
	case e.IsTick():
		return false, true
	}
	marks := strings.Fields(strings.ToLower(e.State.Marks))
	return slices.ContainsFunc(marks, func(w string) bool { return onWords[w] }), IsToggle(e)
}

var onWords = words.Set("on")

// roles are the roles of elements that are of a kind for sure, near those that people
// call so too. A kind without a row may be any element.
var roles = map[string]struct{ sure, near []string }{
	"text-field": {sure: []string{"textbox", "searchbox"}, near: []string{"spinbutton", "combobox"}},
	"field":      {sure: []string{"textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider", "date"}, near: []string{"checkbox", "radio"}},
	"search":     {sure: []string{"searchbox"}, near: []string{"textbox", "combobox"}},
	"editor":     {sure: []string{"textbox"}},
	"button":     {sure: []string{"button"}, near: []string{"link", "menuitem", "tab", "generic", ""}},
	"link":       {sure: []string{"link"}, near: []string{"button", "menuitem", "tab", "generic", ""}},
	"checkbox":   {sure: []string{"checkbox", "menuitemcheckbox"}, near: []string{"switch", "radio"}},
	"radio":      {sure: []string{"radio", "menuitemradio"}, near: []string{"checkbox"}},
	"switch":     {sure: []string{"switch", "checkbox"}, near: []string{"button", "generic", ""}},
	"box":        {sure: []string{"textbox", "checkbox", "combobox"}, near: []string{"generic", "", "image", "graphics-symbol", "group", "searchbox"}},
	"option":     {sure: []string{"option", "radio", "checkbox", "menuitemradio", "menuitem"}, near: []string{"button", "link", "generic", "", "switch"}},
	"list":       {sure: []string{"combobox", "listbox"}, near: []string{"button", "link", "generic", ""}},
	"slider":     {sure: []string{"slider"}, near: []string{"spinbutton", "generic", "", "link"}},
	"tab":        {sure: []string{"tab"}, near: []string{"link", "button", "generic", "", "menuitem"}},
	"menu":       {sure: []string{"menu", "menuitem"}, near: []string{"button", "link", "generic", "", "combobox"}},
	"menu-item":  {sure: []string{"menuitem"}, near: []string{"button", "link", "generic", "", "menuitemradio", "menuitemcheckbox", "option"}},
	"picker":     {sure: []string{"textbox", "combobox", "date", "spinbutton"}, near: []string{"button", "generic", ""}},
	"row":        {sure: []string{"row"}, near: []string{"listitem", "link", "generic", "", "button", "article", "option"}},
	"result":     {sure: []string{"link"}, near: []string{"listitem", "article", "generic", "", "button", "option"}},
	"cell":       {sure: []string{"cell", "gridcell"}, near: []string{"generic", "", "button"}},
	"heading":    {sure: []string{"heading"}, near: []string{"button", "link", "tab", "generic", "", "columnheader"}},
	"image":      {sure: []string{"image", "img"}, near: []string{"button", "link", "generic", "", "figure"}},
	"section":    {sure: []string{"heading", "tab", "button", "region"}, near: []string{"generic", "", "link", "treeitem"}},
	"folder":     {sure: []string{"treeitem", "folder"}, near: []string{"generic", "", "link", "button", "listitem", "row"}},
	"file":       {sure: []string{"treeitem", "link"}, near: []string{"generic", "", "button", "listitem", "row"}},
}

// nearKind is how well an element fits a kind people may also call it.
const nearKind = 0.92

// ofKind rates an element by the kind that was said.
func ofKind(r instruction.Reference, e page.Element) fit {
	best := oneKind(r.Kind, e)
	if r.Or != "" {
		if other := oneKind(r.Or, e); other.score > best.score {
			best = other
		}
	}
	return best
}

func oneKind(kind string, e page.Element) fit {
	k, known := roles[kind]
	switch {
	case kind == "slider" && IsSlider(e):
		return fit{1, "is a slider"}
	case kind == "slider" && e.Role != "spinbutton":
		return fit{}
	case !known:
		return fits
	case slices.Contains(k.sure, e.Role):
		return fit{1, "is a " + e.Role}
	case slices.Contains(k.near, e.Role):
		return fit{nearKind, "may be called a " + kind}
	}
	return fit{}
}

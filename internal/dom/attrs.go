package dom

import (
	"strings"

	"golang.org/x/net/html"
)

// attrs are the known attributes of one element, read in one pass. Looking each up by
// name would visit the list forty times per element.
type attrs struct {
	id, llmID, dataID, testID, frame          string
	role, typ, name, value, href, placeholder string
	title, alt, forID, autocomplete, list     string
	ariaLabel, labelledBy, dataLabel, style   string
	class, dataToast, dataState               string
	checked, pressed, expanded, selected      string // aria-*
	invalid, popup, valueText, valueNow       string // aria-*
	disabled, isChecked, isSelected, required bool
	readonly, hidden, ariaHidden, inert, open bool
	multiple, onclick, focusable, editable    bool
	tabbed, modal, busy                       bool // has a tabindex; aria-modal; aria-busy
	interactive, invisible, large, toast      bool
	occluded, ariaDisabled, filled            bool
	min, max, step                            string
}

func readAttrs(n *html.Node) (a attrs) {
	a.read(n)
	return a
}

// read sets the attributes of n in an empty a.
func (a *attrs) read(n *html.Node) {
	for i := range n.Attr {
		a.set(n.Attr[i].Key, n.Attr[i].Val)
	}
}

// set sets one attribute. The parser keeps only the first of a name, as browsers do.
func (a *attrs) set(key, val string) {
	if strings.HasPrefix(key, "aria-") {
		a.setARIA(key[len("aria-"):], val)
		return
	}
	if strings.HasPrefix(key, "data-") {
		a.setData(key[len("data-"):], val)
		return
	}
	switch key {
	case "id":
		a.id = val
	case "class":
		a.class = val
	case "role":
		a.role = val
	case "type":
		a.typ = lower(val)
	case "name":
		a.name = val
	case "value":
		a.value = val
	case "href":
		a.href = val
	case "placeholder":
		a.placeholder = val
	case "title":
		a.title = val
	case "alt":
		a.alt = val
	case "for":
		a.forID = val
	case "autocomplete":
		a.autocomplete = lower(val)
	case "list":
		a.list = val
	case "style":
		a.style = val
	case "min":
		a.min = val
	case "max":
		a.max = val
	case "step":
		a.step = val
	case "size":
		a.large = val != "" && val != "0" && val != "1"
	case "tabindex":
		a.focusable, a.tabbed = val != "" && val[0] >= '0' && val[0] <= '9', true
	case "contenteditable":
		a.editable = lower(val) != "false"
	default:
		a.setFlag(key)
	}
}

func (a *attrs) setFlag(key string) {
	switch key {
	case "disabled":
		a.disabled = true
	case "checked":
		a.isChecked = true
	case "selected":
		a.isSelected = true
	case "required":
		a.required = true
	case "readonly":
		a.readonly = true
	case "hidden":
		a.hidden = true
	case "inert":
		a.inert = true
	case "open":
		a.open = true
	case "multiple":
		a.multiple = true
	case "onclick":
		a.onclick = true
	}
}

func (a *attrs) setARIA(key, val string) {
	yes := val == "true"
	switch key {
	case "label":
		a.ariaLabel = val
	case "labelledby", "labeledby":
		a.labelledBy = val
	case "hidden":
		a.ariaHidden = yes
	case "checked":
		a.checked = val
	case "pressed":
		a.pressed = val
	case "expanded":
		a.expanded = val
	case "selected":
		a.selected = val
	case "invalid":
		a.invalid = val
	case "haspopup":
		a.popup = val
	case "valuetext":
		a.valueText = val
	case "valuenow":
		a.valueNow = val
	case "placeholder":
		a.placeholder = val
	case "modal":
		a.modal = yes
	case "busy":
		a.busy = yes
	case "disabled":
		a.disabled, a.ariaDisabled = a.disabled || yes, yes
	case "required":
		a.required = a.required || yes
	case "readonly":
		a.readonly = a.readonly || yes
	}
}

func (a *attrs) setData(key, val string) {
	switch key {
	case "llm-id":
		a.llmID = val
	case "id":
		a.dataID = val
	case "testid", "test-id", "test":
		a.testID = val
	case "frame-id":
		a.frame = val
	case "label":
		a.dataLabel = val
	case "toast":
		a.dataToast, a.toast = val, true
	case "state":
		a.dataState = lower(val)
	case "interactive":
		a.interactive = val == "true"
	case "visible":
		a.invisible = val == "false"
	case "filled":
		a.filled = val != "false"
	case "occluded", "occ":
		a.occluded = val != "false"
	}
}

// handle is the id by which the client finds the element.
func (a *attrs) handle() string {
	switch {
	case a.llmID != "":
		return usableID(a.llmID)
	case a.dataID != "":
		return usableID(a.dataID)
	}
	return usableID(a.id)
}

// handleRank is how likely the client knows an element by its handle: an id the
// client assigned ranks highest, the page's own lowest.
func (a *attrs) handleRank() int {
	switch {
	case usableID(a.llmID) != "":
		return 3
	case a.llmID != "" || a.handle() == "":
		return 0
	case a.dataID != "":
		return 2
	}
	return 1
}

// usableID refuses ids that cannot be handles. They are printed into actions and
// prompts, so long texts and line breaks are dropped.
func usableID(id string) string {
	if len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }) {
		return ""
	}
	return id
}

// anchor is the author's name for the element if it looks like one. Radio buttons and
// check boxes of a group share their name attribute.
func (a *attrs) anchor(role string) string {
	for _, s := range [...]string{a.testID, a.id} {
		if looksNamed(s) {
			return s
		}
	}
	if role != "radio" && role != "checkbox" && looksNamed(a.name) {
		return a.name
	}
	return ""
}

// looksNamed distinguishes "save-button" from generated names (":r1:", "ember1234",
// "radix-7f3a9c", a UUID), which change between readings.
func looksNamed(s string) bool {
	if s == "" || len(s) > maxID {
		return false
	}
	digits, letters := 0, 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			letters++
		case r <= ' ' || r == ':':
			return false
		}
	}
	return letters >= 2 && digits <= 2
}

func lower(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

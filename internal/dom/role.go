package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// interactiveRoles are the roles a person can act on.
var interactiveRoles = set("button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox",
	"option", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "switch", "slider", "spinbutton", "treeitem")

// knownRoles are further valid roles. For any other value, such as a misspelling or
// "presentation", the element is what its tag says.
var knownRoles = set("alert", "alertdialog", "article", "banner", "cell", "columnheader", "complementary",
	"contentinfo", "dialog", "document", "feed", "figure", "form", "grid", "gridcell", "group", "heading", "img", "list",
	"listitem", "log", "main", "menu", "menubar", "navigation", "progressbar", "radiogroup", "region", "row", "rowgroup",
	"rowheader", "scrollbar", "search", "separator", "status", "table", "tablist", "tabpanel", "timer", "toolbar",
	"tooltip", "tree", "treegrid")

// contentRoles take their name from what is inside them.
var contentRoles = set("button", "link", "checkbox", "radio", "option", "menuitem", "menuitemcheckbox",
	"menuitemradio", "tab", "switch", "treeitem", "gridcell", "cell", "columnheader", "rowheader", "row", "heading",
	"tooltip", "generic")

// typeRoles are the roles of inputs by type; other types are text fields.
var typeRoles = map[string]string{
	"button": "button", "submit": "button", "reset": "button", "image": "button", "file": "button",
	"checkbox": "checkbox", "radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox",
}

// roleOf is the ARIA role of an element: the first known one in its role attribute,
// or else that of its tag and type, or "".
func roleOf(n *html.Node, a *attrs) string {
	for r := range strings.FieldsSeq(a.role) {
		r = strings.ToLower(r)
		if interactiveRoles[r] || knownRoles[r] {
			return r
		}
	}
	return nativeRole(n, a)
}

func nativeRole(n *html.Node, a *attrs) string {
	switch n.DataAtom {
	case atom.A, atom.Area:
		if a.href != "" {
			return "link"
		}
	case atom.Button, atom.Summary:
		return "button"
	case atom.Input:
		if role := typeRoles[a.typ]; role != "" {
			return role
		}
		if a.list != "" {
			return "combobox"
		}
		return "textbox"
	case atom.Textarea:
		return "textbox"
	case atom.Select:
		if a.multiple || a.large {
			return "listbox"
		}
		return "combobox"
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return "heading"
	}
	if a.editable {
		return "textbox"
	}
	return ""
}

// isOperable reports whether the element is one of the page's elements: by its role
// or tag, because its author made it clickable, or because the client tagged it. In a
// grid, cells that can have the focus are included.
func isOperable(n *html.Node, a *attrs, role string) bool {
	switch {
	case n.DataAtom == atom.Body || n.DataAtom == atom.Html:
		return false
	case n.DataAtom == atom.Option || n.DataAtom == atom.Optgroup:
		return false // part of its select
	case n.DataAtom == atom.Input && a.typ == "hidden":
		return false
	}
	return role != "" && (interactiveRoles[role] || isNativeControl(n, a) || role == "gridcell" && isChosen(a)) ||
		a.llmID != "" || a.interactive || a.onclick || a.focusable || a.editable || isBareLink(n, a)
}

// isNativeControl reports tags that can be operated whatever their role: a calendar
// day may be a button with role gridcell.
func isNativeControl(n *html.Node, a *attrs) bool {
	switch n.DataAtom {
	case atom.A, atom.Area, atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Summary:
		return interactiveRoles[nativeRole(n, a)]
	}
	return false
}

// isChosen reports a grid cell with a selected state or a tabindex.
func isChosen(a *attrs) bool { return a.tabbed || a.selected != "" }

// isBareLink reports a link without an address, which a script handles. Without text
// it is only an anchor.
func isBareLink(n *html.Node, a *attrs) bool {
	return n.DataAtom == atom.A && a.href == "" && n.FirstChild != nil && a.handle() != ""
}

// listedRole is the role under which the element is listed. An element that only the
// client or a script makes operable keeps its author's role.
func listedRole(n *html.Node, a *attrs, role string) string {
	switch {
	case role == "gridcell" || interactiveRoles[role]:
		return role
	case isNativeControl(n, a):
		return nativeRole(n, a)
	case role == "" && n.DataAtom == atom.A:
		return "link"
	case role == "" || knownRoles[role] && !a.interactive && a.llmID == "" && !a.onclick && !a.focusable:
		return "generic"
	}
	return role
}

// treeRoles map the short roles of the minified tree (spec, V3 role mapping) and the
// tag names clients use as roles. Other values are already roles.
var treeRoles = map[string]string{
	"btn": "button", "inp": "textbox", "chk": "checkbox", "sel": "combobox", "opt": "option", "menu": "menuitem",
	"input": "textbox", "textarea": "textbox", "select": "combobox", "a": "link", "textfield": "textbox",
	"searchfield": "searchbox",
	"div":         "generic", "span": "generic", "label": "generic", "p": "generic", "i": "generic", "b": "generic", "em": "generic",
	"strong": "generic", "svg": "generic", "tr": "row", "td": "cell", "th": "columnheader", "li": "listitem",
	"h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
}

// treeRole is the full role of a tree node.
func treeRole(r string) string {
	r = lower(r)
	if full, ok := treeRoles[r]; ok {
		return full
	}
	if r == "" || len(r) > maxRole {
		return "generic"
	}
	return page.Clean(r)
}

// isField reports roles that hold typed text.
func isField(role string) bool {
	return role == "textbox" || role == "searchbox" || role == "spinbutton" || role == "combobox"
}

func set(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, s := range list {
		m[s] = true
	}
	return m
}

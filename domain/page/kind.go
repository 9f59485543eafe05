package page

// Kinds of elements, by role. A role is what a person who cannot see the page is told
// an element is.
var (
	fieldRoles = map[string]bool{
		"textbox": true, "searchbox": true, "combobox": true, "spinbutton": true, "listbox": true, "slider": true, "date": true,
	}
	boxRoles     = map[string]bool{"checkbox": true, "switch": true, "menuitemcheckbox": true}
	controlRoles = map[string]bool{
		"button": true, "link": true, "menuitem": true, "tab": true, "option": true, "treeitem": true, "menuitemradio": true,
	}
)

// IsFieldRole reports a role whose elements hold a value.
func IsFieldRole(role string) bool { return fieldRoles[role] }

// IsBoxRole reports a role whose elements are on or off by themselves.
func IsBoxRole(role string) bool { return boxRoles[role] }

// IsControlRole reports a role whose elements are there to be clicked.
func IsControlRole(role string) bool { return controlRoles[role] }

// IsField reports an element that holds a value.
func (e Element) IsField() bool {
	return fieldRoles[e.Role] || e.Tag == "textarea" || e.Tag == "select"
}

// IsTick reports a checkbox, a switch or a radio button.
func (e Element) IsTick() bool { return boxRoles[e.Role] || e.Role == "radio" }

// IsControl reports an element that is there to be clicked.
func (e Element) IsControl() bool { return controlRoles[e.Role] }

// Usable reports whether a person could act on the element now.
func (e Element) Usable() bool {
	return e.ID != "" && !e.State.Hidden && !e.State.Disabled && !e.State.Occluded
}

// Label is what a person reads beside the element.
func (e Element) Label() string {
	if e.Name != "" {
		return e.Name
	}
	return e.Placeholder
}

// OpensList reports a control that opens a list, a menu or a part of the page.
func (e Element) OpensList() bool { return e.State.HasPopup || e.State.Expanded != "" }

// Shown is what an element shows of what was entered or chosen: its value, the option
// selected in it, and its label where it is a choice that is on, or a secret.
func (e Element) Shown() string {
	if e.IsTick() && e.State.Checked == "true" || e.State.Selected || e.State.Secret {
		return e.Label()
	}
	for _, o := range e.Options {
		if o.Selected {
			return o.Label
		}
	}
	return e.Value
}

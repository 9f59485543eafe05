package page

// Describe returns the element as a person would call it: button "Save". Without a
// name it uses the placeholder or the id: textbox (14). It returns "" for the zero
// element.
func Describe(e Element) string {
	name := e.Name
	if name == "" {
		name = e.Placeholder
	}
	return describe(e.Role, name, e.ID)
}

func describe(role, name, id string) string {
	if role == "" || role == "generic" {
		role = "element"
		if name == "" && id == "" {
			return ""
		}
	}
	switch {
	case name != "":
		return role + ` "` + Cut(name, maxDescribed) + `"`
	case id != "":
		return role + " (" + id + ")"
	}
	return role
}

// maxDescribed keeps a description on one line.
const maxDescribed = 60

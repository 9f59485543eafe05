package page

// Describe is the element as a person would say it: button "Save". Without a
// name the placeholder or, as a last resort, the id stands in: textbox (14).
// The zero element is "".
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

// maxDescribed keeps a description within a line.
const maxDescribed = 60

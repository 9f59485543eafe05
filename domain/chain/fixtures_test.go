package chain_test

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/chain"
	"github.com/stepledger/stepledger/domain/page"
)

// patient is a form with something of everything.
func patient() page.Page {
	const group = "New patient"
	return read(
		page.Element{ID: "1", Role: "textbox", Name: "First name", Group: group},
		page.Element{ID: "2", Role: "textbox", Name: "Last name", Group: group},
		page.Element{ID: "3", Role: "textbox", Name: "Birthdate", Group: group, Tag: "input", Type: "date"},
		page.Element{ID: "4", Role: "radio", Name: "Female", Group: group},
		page.Element{ID: "5", Role: "checkbox", Name: "Insured", Group: group},
		page.Element{ID: "6", Role: "combobox", Name: "Country", Group: group, Tag: "select", Options: options("Norway", "Germany", "Delete it")},
		page.Element{ID: "7", Role: "combobox", Name: "State", Group: group, Tag: "select", Options: options("Oslo", "Berlin")},
		page.Element{ID: "8", Role: "textbox", Name: "Password", Group: group, State: page.State{Secret: true}},
		page.Element{ID: "9", Role: "button", Name: "Save", Group: group, Tag: "button", Type: "submit"},
		page.Element{ID: "10", Role: "link", Name: "Help", Group: group, Href: "/help"},
		page.Element{ID: "11", Role: "checkbox", Name: "Select all", Group: group},
		page.Element{ID: "12", Role: "checkbox", Name: "Some of them", Group: group, State: page.State{Checked: "mixed"}},
		page.Element{ID: "13", Role: "checkbox", Name: "Delete the old record", Group: group},
		page.Element{ID: "14", Role: "textbox", Name: "Doctor", Group: group, State: page.State{HasPopup: true}},
		page.Element{ID: "15", Role: "combobox", Name: "Clinic", Group: group, Tag: "input"},
		page.Element{ID: "16", Role: "textbox", Name: "Number", Group: group, State: page.State{Readonly: true}},
		page.Element{ID: "17", Role: "textbox", Name: "Phone", Group: group, State: page.State{Disabled: true}},
		page.Element{ID: "18", Role: "textbox", Name: "Under a dialog", Group: group, State: page.State{Occluded: true}},
		page.Element{ID: "19", Role: "textbox", Name: "Not shown", Group: group, State: page.State{Hidden: true}},
		page.Element{ID: "20", Role: "textbox", Name: "Subject", Group: "Newsletter"},
		page.Element{ID: "21", Role: "textbox", Name: "Street", Group: group, Frame: "2"},
		page.Element{ID: "22", Role: "combobox", Name: "City", Group: group, Tag: "select"},
		page.Element{ID: "23", Role: "button", Name: "Photo", Group: group, Type: "file"},
		page.Element{ID: "24", Role: "searchbox", Name: "Search", Group: group},
		page.Element{ID: "25", Role: "textbox", Name: "Email", Group: group},
	)
}

func options(labels ...string) (out []page.Option) {
	for _, l := range labels {
		out = append(out, page.Option{Value: l[:1], Label: l})
	}
	return out
}

func read(es ...page.Element) page.Page {
	p := page.Page{URL: "https://clinic.example/new", Elements: es}
	page.AssignKeys(p.Elements)
	return p
}

func set(id, text string) chain.Candidate {
	return chain.Candidate{Action: action.Action{Name: action.SetValue, Target: id, Text: text}, Description: "Type " + text}
}

func click(id string) chain.Candidate {
	return chain.Candidate{Action: action.Action{Name: action.Click, Target: id}}
}

func do(a action.Action) chain.Candidate { return chain.Candidate{Action: a} }

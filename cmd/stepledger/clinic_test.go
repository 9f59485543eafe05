package main

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
)

// clinic is a patient registry as a state machine: enough of a page for a task
// to be done on it without a browser. Executing an action changes it as a
// browser would.
type clinic struct {
	screen string // list, form, saved
	name   string
	// dead makes the list's button do nothing; the link beside it works.
	dead bool
	// chips makes the form put a tag in the place of a name that was entered.
	// The field is gone then, so that no rule can tell whether it was filled.
	chips bool
	// padding is markup without meaning, to make the page large.
	padding string
	// nodes makes it a page of so many elements for clients that send no markup; 0 is
	// markup.
	nodes int
}

const clinicURL = "https://clinic.example"

func (c *clinic) url() string {
	if c.screen == "form" {
		return clinicURL + "/patients/new"
	}
	return clinicURL + "/patients"
}

func (c *clinic) dom() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html><head><title>Patients</title></head><body>`)
	switch c.screen {
	case "form":
		fmt.Fprintf(&b, `<h1>New patient</h1><form aria-label="New patient">%s
			<label for="phone">Phone</label><input id="phone" data-llm-id="22">
			<button type="submit" data-llm-id="23">Save</button>
			<a href="/patients" data-llm-id="24">Cancel</a></form>`, c.nameField())
	default:
		if c.screen == "saved" {
			fmt.Fprintf(&b, `<div role="status" class="toast success">Patient %s was added</div>`, html.EscapeString(c.name))
		}
		b.WriteString(`<nav><a href="/patients" data-llm-id="11">Patients</a>
			<a href="/patients/new" data-llm-id="12">Add patient</a></nav>
			<h1>Patients</h1><button data-llm-id="14">New patient</button>
			<table><tr><td>Ada Lovelace</td></tr>`)
		if c.screen == "saved" {
			fmt.Fprintf(&b, `<tr><td>%s</td></tr>`, html.EscapeString(c.name))
		}
		b.WriteString(`</table>`)
	}
	b.WriteString(c.padding + `</body></html>`)
	return b.String()
}

// tree is the page as a list of elements, those of the site around it among them.
func (c *clinic) tree() []map[string]any {
	node := func(id, role, name, value string) map[string]any {
		return map[string]any{"i": id, "r": role, "n": name, "v": value, "xy": []int{100, 100}}
	}
	var all []map[string]any
	if c.screen == "saved" {
		all = append(all, node("10", "status", "Patient "+c.name+" was added", ""))
	}
	if c.screen == "form" {
		all = append(all, node("21", "inp", "Full name", c.name), node("22", "inp", "Phone", ""), node("23", "btn", "Save", ""), node("24", "link", "Cancel", ""))
	} else {
		all = append(all, node("11", "link", "Patients", ""), node("12", "link", "Add patient", ""), node("14", "btn", "New patient", ""))
	}
	for i := len(all); i < c.nodes; i++ {
		all = append(all, node(strconv.Itoa(100+i), "link", fmt.Sprintf("Record %d of the archive", i), ""))
	}
	return all
}

func (c *clinic) nameField() string {
	name := html.EscapeString(c.name)
	if c.chips && name != "" {
		return fmt.Sprintf(`<span class="chip">%s</span> <button type="button" data-llm-id="25">Remove %[1]s</button>`, name)
	}
	return `<label for="name">Full name</label><input id="name" data-llm-id="21" required value="` + name + `">`
}

// execute does what the agent wants; it is an error to want what is not there.
func (c *clinic) execute(text string) error {
	a, err := action.Parse(text)
	if err != nil {
		return err
	}
	where := c.screen + " " + a.Target
	switch {
	case a.Name == action.Wait:
	case a.Name == action.Click && where == c.list()+" 14":
		if !c.dead {
			c.screen = "form"
		}
	case a.Name == action.Click && where == c.list()+" 12":
		c.screen = "form"
	case a.Name == action.SetValue && where == "form 21" && (!c.chips || c.name == ""):
		c.name = a.Text
	case a.Name == action.Click && where == "form 23" && c.name != "":
		c.screen = "saved"
	default:
		return fmt.Errorf("%s cannot be done on the page %q", text, c.screen)
	}
	return nil
}

func (c *clinic) list() string {
	if c.screen == "saved" {
		return "saved"
	}
	return "list"
}

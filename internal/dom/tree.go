package dom

import (
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/vocabulary"
)

// readTree reads the minified tree (spec §2). Empty nodes are left out; a duplicate
// id belongs to the first node.
func readTree(nodes []page.NodeV3) []page.Element {
	es := make([]page.Element, 0, min(len(nodes), page.MaxTree))
	taken := make(map[string]bool, cap(es))
	points, boxes := make([]page.Point, cap(es)), make([]page.Rect, cap(es)) // two allocations, not two per node
	for i := range es[:cap(es)] {
		n := &nodes[i]
		e := page.Element{
			ID:    usableID(string(n.ID)),
			Role:  treeRole(n.Role),
			Name:  treeName(n.Role, string(n.Name)),
			Value: page.Cut(page.Clean(string(n.Value)), maxValue),
			Frame: frameName(string(n.Frame)),
			State: parseState(string(n.State)),
		}
		e.State.Focused = e.State.Focused || n.Focused
		e.State.Occluded = n.Occluded
		if n.XY != nil {
			points[i] = page.Point{X: n.XY[0], Y: n.XY[1]}
			e.XY = &points[i]
		}
		if b := n.Box; b != nil {
			boxes[i] = page.Rect{X: b[0], Y: b[1], W: b[2], H: b[3]}
			e.Box = &boxes[i]
		}
		es = appendNode(es, taken, e, n.Role, n.Name != "")
	}
	return es
}

// readNodes reads the full-key list (spec §9).
func readNodes(nodes []page.Node) []page.Element {
	es := make([]page.Element, 0, min(len(nodes), page.MaxTree))
	taken := make(map[string]bool, cap(es))
	for _, n := range nodes[:cap(es)] {
		e := page.Element{
			ID:          usableID(string(n.ID)),
			Role:        treeRole(n.Role),
			Name:        treeName(n.Role, string(n.Name)),
			Value:       page.Cut(page.Clean(string(n.Value)), maxValue),
			Type:        lower(n.Type),
			Placeholder: page.Cut(page.Clean(n.Placeholder), maxName),
			Href:        cutHref(n.Href),
			Frame:       frameName(string(n.Frame)),
			State:       parseState(string(n.State)),
		}
		if b := n.Bounds; b != nil {
			e.Box = &page.Rect{X: b.X, Y: b.Y, W: b.Width, H: b.Height}
			e.XY = &page.Point{X: b.X + b.Width/2, Y: b.Y + b.Height/2}
		}
		es = appendNode(es, taken, e, n.Role, n.Name != "")
	}
	return es
}

// treeName is the name of a node. Some clients put the tag where there is none.
func treeName(role, name string) string {
	if tag := lower(role); lower(name) == tag && treeRoles[tag] == "generic" {
		return ""
	}
	return page.Cut(page.Clean(name), maxName)
}

// appendNode appends an element unless it is a message, or says nothing at all.
func appendNode(es []page.Element, taken map[string]bool, e page.Element, role string, named bool) []page.Element {
	if isMessage(e.Role) || !named && e.Name == "" && e.Role == "generic" && e.Value == "" {
		return es
	}
	if taken[e.ID] {
		e.ID = ""
	} else if e.ID != "" {
		taken[e.ID] = true
	}
	switch e.Role {
	case "checkbox", "radio", "switch":
		// Trees list only states that are set, so a missing one is "not checked".
		e.State.Checked = firstOf(e.State.Checked, "false")
	}
	if e.State.Secret = e.State.Secret || secretNode(role, e); e.State.Secret {
		e.State.Filled = e.State.Filled || e.Value != ""
		e.Value = ""
	}
	return append(es, e)
}

// secretNode is isSecret for nodes of a tree, which have no attributes.
func secretNode(role string, e page.Element) bool {
	if lower(role) == "password" || e.Type == "password" {
		return true
	}
	return (e.Role == "textbox" || e.Role == "spinbutton") && !fixedTypes[e.Type] && (vocabulary.Secret(e.Name) || vocabulary.Secret(e.Placeholder))
}

func isMessage(role string) bool { return role == "alert" || role == "status" }

// treeAlerts returns the messages in the tree that the HTML does not show as well.
func treeAlerts(c page.Capture, known []page.Alert) []page.Alert {
	var alerts []page.Alert
	have := make(map[string]bool, len(known))
	for _, a := range known {
		have[a.Text] = true
	}
	message := func(role, text string) {
		if !isMessage(lower(role)) || len(known)+len(alerts) >= maxAlerts {
			return
		}
		text = page.Cut(page.Clean(text), maxAlertText)
		if hasWord(text) && !have[text] {
			have[text] = true
			alerts = append(alerts, page.Alert{Text: text})
		}
	}
	for _, n := range c.Tree[:min(len(c.Tree), page.MaxTree)] {
		message(n.Role, firstOf(string(n.Name), string(n.Value)))
	}
	for _, n := range c.Nodes[:min(len(c.Nodes), page.MaxTree)] {
		message(n.Role, firstOf(string(n.Name), string(n.Value)))
	}
	return alerts
}

// parseState parses states separated by commas or spaces ("disabled", "checked,
// required"), also "expanded=false". Unknown words are ignored.
func parseState(s string) page.State {
	var st page.State
	if s == "" {
		return st
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '|' || r == '\t' || r == '\n' })
	for _, w := range words {
		word, val, has := strings.Cut(strings.ReplaceAll(w, ":", "="), "=")
		yes := !has || val != "false" && val != "0" && val != "no"
		if val == "mixed" {
			word = "mixed"
		}
		setState(&st, word, yes)
	}
	return st
}

func setState(st *page.State, word string, yes bool) {
	switch word {
	case "checked", "pressed", "on":
		st.Checked = boolWord(yes)
	case "unchecked", "not-checked", "off":
		st.Checked = boolWord(!yes)
	case "mixed", "indeterminate":
		st.Checked = "mixed"
	case "expanded", "open":
		st.Expanded = boolWord(yes)
	case "collapsed", "closed":
		st.Expanded = boolWord(!yes)
	case "disabled":
		st.Disabled = yes
	case "enabled":
		st.Disabled = !yes
	case "selected", "current":
		st.Selected = yes
	case "required":
		st.Required = yes
	case "readonly", "read-only":
		st.Readonly = yes
	case "invalid":
		st.Invalid = yes
	case "valid":
		st.Invalid = !yes
	case "focused", "active":
		st.Focused = yes
	case "haspopup", "has-popup", "popup":
		st.HasPopup = yes
	case "hidden":
		st.Hidden = yes
	case "occluded":
		st.Occluded = yes
	case "out-of-view":
		st.OutOfView = yes
	case "onhover":
		st.OnHover = yes
	case "secret", "password", "protected":
		st.Secret = yes
	case "filled":
		st.Filled = yes
	}
}

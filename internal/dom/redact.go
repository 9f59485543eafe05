package dom

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Redact is the capture without the values of secret fields, fit to be stored.
// It never fails: of a capture that cannot be read the fields are judged by
// their own attributes. Everything else stays byte for byte as it was, and the
// redacted capture reads as the same page. A secret the page also shows
// elsewhere, outside the field's own tag, is beyond it. The page is only read
// where a field with a value could be secret by its label alone.
func (Reader) Redact(c page.Capture) page.Capture {
	var r result
	if inDoubt(c) {
		r, _ = read(c) // an unreadable capture names no secrets; the rules below hold
	}
	return redact(c, r)
}

// inDoubt reports a field that holds a value and is not secret by its own
// attributes: its label may say otherwise, or, of a tree's node, the HTML.
func inDoubt(c page.Capture) bool {
	if c.DOM == "" && c.SkeletonDOM == "" {
		return false
	}
	return slices.ContainsFunc(c.Tree, func(n page.NodeV3) bool { return n.Value != "" }) ||
		slices.ContainsFunc(c.Nodes, func(n page.Node) bool { return n.Value != "" }) ||
		undecided(c.DOM) || undecided(c.SkeletonDOM)
}

func redact(c page.Capture, r result) page.Capture {
	c.DOM = redactHTML(c.DOM, r.dom, r.ids)
	c.SkeletonDOM = redactHTML(c.SkeletonDOM, r.skeleton, r.ids)
	c.Tree = redactTree(c.Tree, r.ids)
	c.Nodes = redactNodes(c.Nodes, r.ids)
	return c
}

func redactTree(nodes []page.NodeV3, ids map[string]bool) []page.NodeV3 {
	copied := false
	for i, n := range nodes {
		e := page.Element{Role: treeRole(n.Role), Name: page.Clean(string(n.Name))}
		if n.Value == "" || !ids[string(n.ID)] && !parseState(string(n.State)).Secret && !secretNode(n.Role, e) {
			continue
		}
		if !copied { // the caller's nodes are the caller's
			nodes, copied = slices.Clone(nodes), true
		}
		nodes[i].Value, nodes[i].State = "", markSecret(n.State)
	}
	return nodes
}

func redactNodes(nodes []page.Node, ids map[string]bool) []page.Node {
	copied := false
	for i, n := range nodes {
		e := page.Element{Role: treeRole(n.Role), Name: page.Clean(string(n.Name)), Type: lower(n.Type), Placeholder: n.Placeholder}
		if n.Value == "" || !ids[string(n.ID)] && !parseState(string(n.State)).Secret && !secretNode(n.Role, e) {
			continue
		}
		if !copied {
			nodes, copied = slices.Clone(nodes), true
		}
		nodes[i].Value, nodes[i].State = "", markSecret(n.State)
	}
	return nodes
}

// markSecret keeps the field secret for whoever reads the redacted tree
// without the HTML that said so.
func markSecret(s page.Scalar) page.Scalar {
	if parseState(string(s)).Secret {
		return s
	}
	return page.Scalar(strings.TrimSpace(string(s) + " secret"))
}

// secretIDs are the ids of the secret elements in any of the readings.
func secretIDs(lists ...[]page.Element) map[string]bool {
	ids := map[string]bool{}
	for _, es := range lists {
		for i := range es {
			if e := &es[i]; e.State.Secret && e.ID != "" {
				ids[e.ID] = true
			}
		}
	}
	return ids
}

// redactHTML cuts the values out of every tag of a secret field, wherever the
// tag stands, in comments and scripts too: it looks for tags as text, so no
// oddity of the markup hides one from it.
func redactHTML(src string, secret, ids map[string]bool) string {
	var out strings.Builder
	done := 0 // src up to here is in out
	for t := range fields(src) {
		if !t.isSecret(secret, ids) {
			continue
		}
		for _, s := range t.values {
			out.WriteString(src[done:s.from])
			out.WriteString(s.emptied())
			done = s.to
		}
	}
	if done == 0 {
		return src
	}
	out.WriteString(src[done:])
	return out.String()
}

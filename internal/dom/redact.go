package dom

import (
	"html"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
)

// Redact returns the capture without the values of secret fields and without the
// secrets in URLs (secret.CutURLs), fit to be stored. It never fails: in a capture
// that cannot be read, fields are judged by their own attributes. Values of secret
// fields are also removed wherever else they occur, and kept in Secrets. Everything
// else stays byte for byte, and the redacted capture is read as the same page. The
// page is only read if a field with a value could be secret by its label alone.
func (Reader) Redact(c page.Capture) page.Capture {
	var r result
	if mayBeSecretByLabel(c) {
		r, _ = read(c) // an unreadable capture names no secrets; the rules below hold
	}
	return redact(c, r)
}

// mayBeSecretByLabel reports a field with a value that is not secret by its own
// attributes: its label or, for a tree's node, the HTML may make it secret.
func mayBeSecretByLabel(c page.Capture) bool {
	if c.DOM == "" && c.SkeletonDOM == "" {
		return false
	}
	return slices.ContainsFunc(c.Tree, func(n page.NodeV3) bool { return n.Value != "" }) ||
		slices.ContainsFunc(c.Nodes, func(n page.Node) bool { return n.Value != "" }) ||
		hasUndecidedField(c.DOM) || hasUndecidedField(c.SkeletonDOM)
}

func redact(c page.Capture, r result) page.Capture {
	if !r.read {
		r.values = secretValues(c, r)
	}
	for _, v := range r.values {
		if !slices.Contains(c.Secrets, v) {
			c.Secrets = append(slices.Clip(c.Secrets), v)
		}
	}
	c.DOM = redactHTML(c.DOM, r.dom, r.ids)
	c.SkeletonDOM = redactHTML(c.SkeletonDOM, r.skeleton, r.ids)
	c.Tree = redactTree(c.Tree, r.ids)
	c.Nodes = redactNodes(c.Nodes, r.ids)
	return c.MapText(secret.New(c.Secrets...).Cut)
}

// maxSecrets bounds the values of a capture that are kept as secrets.
const maxSecrets = 50

// secretValues returns the values in secret fields.
func secretValues(c page.Capture, r result) (values []string) {
	add := func(v string) {
		if v = page.Clean(v); len(values) < maxSecrets && secret.Worth(v) && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	for _, doc := range [...]struct {
		src   string
		known map[string]bool
	}{{c.DOM, r.dom}, {c.SkeletonDOM, r.skeleton}} {
		for t := range fields(doc.src) {
			if !t.isSecret(doc.known, r.ids) {
				continue
			}
			for _, s := range t.values {
				add(t.valueOf(doc.src, s))
			}
		}
	}
	for _, n := range c.Tree {
		if n.Value != "" && secretV3(n, r.ids) {
			add(string(n.Value))
		}
	}
	for _, n := range c.Nodes {
		if n.Value != "" && secretFull(n, r.ids) {
			add(string(n.Value))
		}
	}
	return values
}

func redactTree(nodes []page.NodeV3, ids map[string]bool) []page.NodeV3 {
	copied := false
	for i, n := range nodes {
		if n.Value == "" || !secretV3(n, ids) {
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
		if n.Value == "" || !secretFull(n, ids) {
			continue
		}
		if !copied {
			nodes, copied = slices.Clone(nodes), true
		}
		nodes[i].Value, nodes[i].State = "", markSecret(n.State)
	}
	return nodes
}

// valueOf decodes the part of the source that holds a value.
func (t *tag) valueOf(src string, s span) string {
	switch {
	case s.key == "" && t.name != "textarea":
		return plainText(src[s.from:s.to])
	case s.key == "" || s.key == "value":
		return html.UnescapeString(src[s.from:s.to])
	}
	return "" // a copy of it
}

func secretV3(n page.NodeV3, ids map[string]bool) bool {
	e := page.Element{Role: treeRole(n.Role), Name: page.Clean(string(n.Name))}
	return ids[string(n.ID)] || parseState(string(n.State)).Secret || secretNode(n.Role, e)
}

func secretFull(n page.Node, ids map[string]bool) bool {
	e := page.Element{Role: treeRole(n.Role), Name: page.Clean(string(n.Name)), Type: lower(n.Type), Placeholder: n.Placeholder}
	return ids[string(n.ID)] || parseState(string(n.State)).Secret || secretNode(n.Role, e)
}

// markSecret keeps a field secret, and filled, for readers of the redacted tree.
func markSecret(s page.Scalar) page.Scalar {
	state := parseState(string(s))
	if !state.Secret {
		s += " secret"
	}
	if !state.Filled {
		s += " filled"
	}
	return page.Scalar(strings.TrimSpace(string(s)))
}

// secretIDs returns the ids of secret elements in any of the readings.
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

// redactHTML cuts the values out of every tag of a secret field, in comments and
// scripts too. It looks for tags as text, so that odd markup cannot hide one.
func redactHTML(src string, secret, ids map[string]bool) string {
	var out strings.Builder
	done := 0 // src up to here is in out
	for t := range fields(src) {
		if !t.isSecret(secret, ids) {
			continue
		}
		for _, s := range t.values {
			if s.from < done {
				continue // in one that is cut out
			}
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

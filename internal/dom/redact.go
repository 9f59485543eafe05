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
		r.findSecrets(c)
	}
	known := len(c.Secrets)
	c.Secrets = merged(c.Secrets, r.values)
	set := r.secrets
	if set == nil || known > 0 {
		set = secret.New(c.Secrets...)
	}
	c.DOM = cutParts(c.DOM, r.inDOM)
	c.SkeletonDOM = cutParts(c.SkeletonDOM, r.inSkeleton)
	c.Tree = redactTree(c.Tree, r.ids)
	c.Nodes = redactNodes(c.Nodes, r.ids)
	return c.MapText(set.Cut)
}

// merged returns a list with those of more that are not in it.
func merged(list, more []string) []string {
	list = slices.Clip(list) // the caller's
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// maxSecrets bounds the values of a capture that are kept as secrets.
const maxSecrets = 50

// findSecrets finds the values in secret fields, and where they are in the documents.
func (r *result) findSecrets(c page.Capture) {
	add := func(v string) {
		if v = page.Clean(v); len(r.values) < maxSecrets && secret.Worth(v) && !slices.Contains(r.values, v) {
			r.values = append(r.values, v)
		}
	}
	r.inDOM = secretFields(c.DOM, r.dom, r.ids, add)
	r.inSkeleton = secretFields(c.SkeletonDOM, r.skeleton, r.ids, add)
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
}

// secretFields returns the parts of a document to cut out: what every tag of a secret
// field holds, in comments and scripts too. It looks for tags as text, so that odd
// markup cannot hide one. add gets the values.
func secretFields(src string, known, ids map[string]bool, add func(string)) (parts []span) {
	for t := range fields(src) {
		if !t.isSecret(known, ids) {
			continue
		}
		for _, s := range t.values {
			add(t.valueOf(src, s))
			parts = append(parts, s)
		}
	}
	return parts
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

// cutParts cuts parts out of a document.
func cutParts(src string, parts []span) string {
	if len(parts) == 0 {
		return src
	}
	var out strings.Builder
	out.Grow(len(src))
	done := 0 // src up to here is in out
	for _, s := range parts {
		if s.from < done {
			continue // in one that is cut out
		}
		out.WriteString(src[done:s.from])
		out.WriteString(s.emptied())
		done = s.to
	}
	out.WriteString(src[done:])
	return out.String()
}

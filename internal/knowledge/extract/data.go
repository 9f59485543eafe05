package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// datum is a value of JSON, YAML or XML.
type datum struct {
	name  string // of a member
	value string // of a leaf
	kids  []*datum
	list  bool // the kids are items, without names
}

// maxLeaves bounds what aliases of YAML repeat.
const maxLeaves = 500_000

// data writes values as lines of path and value, a block for each part of the document:
// the members of its first value that has several.
func (d *document) data(root *datum) {
	path := ""
	for len(root.kids) == 1 && len(root.kids[0].kids) > 0 {
		path = below(path, root, 0)
		root = root.kids[0]
	}
	if rows := records(root); rows != nil {
		d.table(rows, 0)
		return
	}
	if len(root.kids) == 0 {
		d.paragraph(root.value)
		return
	}
	var b strings.Builder
	leaves := 0
	for i, kid := range root.kids {
		writeData(&b, below(path, root, i), kid)
		// Single values are told together.
		if len(kid.kids) == 0 && leaves < 20 && i+1 < len(root.kids) && len(root.kids[i+1].kids) == 0 {
			leaves++
			continue
		}
		d.paragraph(b.String())
		b.Reset()
		leaves = 0
	}
}

// below is the path of a kid.
func below(path string, parent *datum, i int) string {
	if parent.list {
		return fmt.Sprintf("%s[%d]", path, i+1)
	}
	if path == "" {
		return parent.kids[i].name
	}
	return path + "." + parent.kids[i].name
}

func writeData(b *strings.Builder, path string, v *datum) {
	if len(v.kids) == 0 {
		if v.value != "" {
			if path != "" {
				b.WriteString(inline(path) + ": ")
			}
			b.WriteString(inline(v.value) + "\n")
		}
		return
	}
	for i, kid := range v.kids {
		writeData(b, below(path, v, i), kid)
	}
}

// records returns a list of objects without depth that have the same members as rows.
func records(list *datum) [][]string {
	if !list.list || len(list.kids) < 2 {
		return nil
	}
	var header []string
	place := map[string]int{}
	for _, kid := range list.kids {
		if kid.list || len(kid.kids) == 0 {
			return nil
		}
		for _, member := range kid.kids {
			if len(member.kids) > 0 {
				return nil
			}
			if _, ok := place[member.name]; !ok {
				place[member.name] = len(header)
				header = append(header, member.name)
			}
		}
		if len(header) > 2*len(list.kids[0].kids) {
			return nil
		}
	}
	rows := [][]string{header}
	for _, kid := range list.kids {
		row := make([]string, len(header))
		for _, member := range kid.kids {
			row[place[member.name]] = member.value
		}
		rows = append(rows, row)
	}
	return rows
}

func readJSON(d *document, in input) error {
	dec := json.NewDecoder(strings.NewReader(in.text))
	dec.UseNumber()
	var values []*datum
	for {
		v, err := jsonValue(dec, 0)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return jsonError(err)
		}
		values = append(values, v)
	}
	if len(values) == 1 {
		d.data(values[0])
	} else {
		d.data(&datum{kids: values, list: true})
	}
	return nil
}

func jsonError(err error) error {
	var refused *Refused
	if errors.As(err, &refused) {
		return err
	}
	return refuse(Damaged, "the JSON is not well formed: %v", err)
}

// jsonValue reads a value with its members in their order.
func jsonValue(dec *json.Decoder, depth int) (*datum, error) {
	if depth > maxDepth {
		return nil, refuse(TooComplex, "the JSON is nested more than %d deep", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return jsonLeaf(token), nil
	}
	v := &datum{list: open == '['}
	for dec.More() {
		name := ""
		if !v.list {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ = key.(string)
		}
		kid, err := jsonValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		kid.name = name
		v.kids = append(v.kids, kid)
	}
	_, err = dec.Token()
	return v, err
}

func jsonLeaf(token json.Token) *datum {
	if token == nil {
		return &datum{}
	}
	return &datum{value: fmt.Sprint(token)}
}

// yamlParses reports a document of YAML that is more than a text.
func yamlParses(text string) bool {
	var n yaml.Node
	if err := yaml.NewDecoder(strings.NewReader(text)).Decode(&n); err != nil || len(n.Content) == 0 {
		return false
	}
	kind := n.Content[0].Kind
	return kind == yaml.MappingNode || kind == yaml.SequenceNode
}

func readYAML(d *document, in input) error {
	dec := yaml.NewDecoder(bytes.NewReader([]byte(in.text)))
	left := maxLeaves
	var values []*datum
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuse(Damaged, "the YAML is not well formed: %v", err)
		}
		v, err := yamlValue(&n, 0, &left)
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	for _, v := range values {
		d.data(v)
	}
	return nil
}

func yamlValue(n *yaml.Node, depth int, left *int) (*datum, error) {
	if *left--; *left < 0 {
		return nil, refuse(Entities, "the YAML repeats parts of itself without end")
	}
	if depth > maxDepth {
		return nil, refuse(TooComplex, "the YAML is nested more than %d deep", maxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlValue(n.Alias, depth+1, left)
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return &datum{}, nil
		}
		return &datum{value: n.Value}, nil
	}
	v := &datum{list: n.Kind != yaml.MappingNode}
	step := 1
	if !v.list {
		step = 2
	}
	for i := 0; i+step <= len(n.Content); i += step {
		kid, err := yamlValue(n.Content[i+step-1], depth+1, left)
		if err != nil {
			return nil, err
		}
		if !v.list {
			kid.name = n.Content[i].Value
		}
		v.kids = append(v.kids, kid)
	}
	if n.Kind == yaml.DocumentNode && len(v.kids) == 1 {
		return v.kids[0], nil
	}
	return v, nil
}

func readXML(d *document, in input) error {
	root, err := parseXML([]byte(in.text), true)
	if err != nil {
		return err
	}
	for _, n := range root.kids {
		if n.name != "" {
			if title := n.child("title"); title != nil {
				d.out.Title = title.all()
			}
			d.out.Language = n.attr("lang")
			d.data(xmlValue(n))
		}
	}
	return nil
}

// xmlValue is an element with its attributes and elements as members. Where text stands
// between elements it is told as one.
func xmlValue(n *node) *datum {
	v := &datum{name: n.name}
	for _, a := range n.attrs {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			v.kids = append(v.kids, &datum{name: "@" + a.Name.Local, value: a.Value})
		}
	}
	var text strings.Builder
	count := map[string]int{}
	for _, k := range n.kids {
		if k.name == "" {
			text.WriteString(k.text)
		} else {
			count[k.name]++
		}
	}
	if said := strings.TrimSpace(text.String()); said != "" {
		if len(v.kids) == 0 {
			v.value = n.all()
		} else {
			v.kids = append(v.kids, &datum{name: "text", value: n.all()})
		}
		return v
	}
	seen := map[string]int{}
	for _, k := range n.kids {
		if k.name == "" {
			continue
		}
		kid := xmlValue(k)
		if seen[k.name]++; count[k.name] > 1 {
			kid.name = fmt.Sprintf("%s[%d]", k.name, seen[k.name])
		}
		v.kids = append(v.kids, kid)
	}
	return v
}

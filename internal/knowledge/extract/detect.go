package extract

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// detect finds the type of a document by its bytes.
func detect(body []byte, hint Hint) (input, error) {
	if i := bytes.Index(body[:min(len(body), 1024)], []byte("%PDF-")); i >= 0 {
		return input{kind: knowledge.PDF, body: body[i:]}, nil
	}
	if bytes.HasPrefix(body, []byte("PK\x03\x04")) {
		return detectArchive(body)
	}
	if bytes.HasPrefix(body, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		if bytes.Contains(body, utf16le("EncryptedPackage")) {
			return input{}, refuse(Encrypted, "the document needs a password")
		}
		return input{}, refuse(UnsupportedType, "the format of Office before 2007 is not read; save the document as DOCX or XLSX")
	}
	text, ok := decode(body, declared(body, hint.MediaType))
	if !ok || bytes.HasPrefix(body, []byte("{\\rtf")) {
		return input{}, refuse(UnsupportedType, "%s is not read", sniffed(body))
	}
	return input{kind: detectText(text, hint), body: body, text: text}, nil
}

// sniffed names what bytes are, for a person.
func sniffed(body []byte) string {
	kind := http.DetectContentType(body)
	switch {
	case bytes.HasPrefix(body, []byte("{\\rtf")):
		return "RTF"
	case kind == "application/octet-stream" || strings.HasPrefix(kind, "text/"):
		return "a file of an unknown format"
	}
	return kind
}

func utf16le(s string) []byte {
	b := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		b = append(b, s[i], 0)
	}
	return b
}

func detectArchive(body []byte) (input, error) {
	a, err := openArchive(body)
	if err != nil {
		return input{}, err
	}
	in := input{body: body, zip: a}
	main, err := a.mainPart()
	if err != nil {
		return input{}, err
	}
	switch base := path.Base(main); {
	case strings.HasPrefix(main, "word/") || strings.HasPrefix(base, "document"):
		in.kind = knowledge.DOCX
	case strings.HasPrefix(main, "xl/") || strings.HasPrefix(base, "workbook"):
		in.kind = knowledge.XLSX
	case main != "":
		return input{}, refuse(UnsupportedType, "an Office document of this kind is not read")
	default:
		return input{}, refuse(UnsupportedType, "an archive is not read; add the documents in it")
	}
	return in, nil
}

// mainPart returns the name of the part that an Office document is, "" of others.
func (a *archive) mainPart() (string, error) {
	rels, err := a.relations("")
	if err != nil {
		return "", err
	}
	for _, r := range rels {
		if strings.HasSuffix(r.kind, "/officeDocument") && a.has(r.target) {
			return r.target, nil
		}
	}
	for _, name := range []string{"word/document.xml", "xl/workbook.xml"} {
		if a.has(name) {
			return name, nil
		}
	}
	return "", nil
}

// relation is a link from one part of an Office document to another, or out of it.
type relation struct {
	kind, target string
	external     bool
}

// relations returns the links of a part by their ids; "" is the document itself.
func (a *archive) relations(part string) (map[string]relation, error) {
	dir, base := path.Split(part)
	body, err := a.read(path.Join(dir, "_rels", base+".rels"))
	if err != nil || body == nil {
		return nil, err
	}
	root, err := parseXML(body, false)
	if err != nil {
		return nil, err
	}
	found := map[string]relation{}
	top := root.child("Relationships")
	if top == nil {
		return found, nil
	}
	for _, n := range top.kids {
		r := relation{kind: n.attr("Type"), target: n.attr("Target"), external: n.attr("TargetMode") == "External"}
		switch {
		case r.external:
		case strings.HasPrefix(r.target, "/"):
			r.target = strings.TrimPrefix(r.target, "/")
		default:
			r.target = path.Join(dir, r.target)
		}
		found[n.attr("Id")] = r
	}
	return found, nil
}

var (
	htmlStart = regexp.MustCompile(`(?i)^(\s|<!--[^>]*-->|<\?xml[^>]*>)*<(!doctype\s+html|html|head|body|title|meta|script|style|link|base|template|noscript|header|footer|nav|aside|form|button|figure|img|div|p|h[1-6]|table|article|main|section|span|ul|ol|dl|pre|blockquote|a|b|i|em|strong|br|hr|center|font)[\s>/]`)
	htmlRoot  = regexp.MustCompile(`(?i)<html[\s>]`)
	xmlStart  = regexp.MustCompile(`^\s*<(\?xml\s|!--|!DOCTYPE\s|[A-Za-z_][\w.:-]*[\s/>])`)

	markdownMark = regexp.MustCompile("(?m)^#{1,6} +\\S|^```|^~~~|\\[[^\\]\n]+\\]\\([^)\\s]+\\)|^\\|? *:?-{3,}:? *\\|[-| :]*$|\\*\\*[^*\n]+\\*\\*|^> \\S|^(=|-){3,}$")
	yamlLine     = regexp.MustCompile(`^\s*(#.*|---.*|\.\.\.|-( .*)?|(- +)?("[^"]*"|'[^']*'|[\w./$-][\w ./$-]*):( .*)?)$`)
)

// detectText finds the type of a text: what can only be one thing is that; what could
// be several is what the name or the server says of them, else what most of it looks like.
func detectText(text string, hint Hint) knowledge.Type {
	head := text[:min(len(text), sample)]
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
		if json.Valid([]byte(trimmed)) || jsonLines(trimmed) {
			return knowledge.JSON
		}
	case htmlStart.MatchString(head):
		return knowledge.HTML
	case xmlStart.MatchString(head):
		if !htmlRoot.MatchString(head) {
			if _, err := parseXML([]byte(trimmed), true); err == nil || strings.HasPrefix(trimmed, "<?xml") || strings.HasPrefix(trimmed, "<!DOCTYPE") {
				return knowledge.XML
			}
		}
		return knowledge.HTML
	}
	said := saidType(hint)
	likely := map[knowledge.Type]bool{
		knowledge.CSV: delimiter(text) != 0, knowledge.YAML: yamlLike(head) && yamlParses(text),
		knowledge.Markdown: true, knowledge.Text: true, knowledge.HTML: strings.Contains(head, "</"),
	}
	if likely[said] {
		return said
	}
	switch marks := len(markdownMark.FindAllString(head, 3)); {
	case likely[knowledge.YAML] && (strings.HasPrefix(text, "---\n") || marks == 0):
		return knowledge.YAML
	case likely[knowledge.CSV] && marks == 0:
		return knowledge.CSV
	case marks >= 2 || marks == 1 && strings.HasPrefix(trimmed, "# "):
		return knowledge.Markdown
	}
	return knowledge.Text
}

// saidType is the type that a name or a server says, "" if they do not.
func saidType(hint Hint) knowledge.Type {
	if kind, ok := byExtension[strings.ToLower(path.Ext(hint.Name))]; ok {
		return kind
	}
	kind, _, err := mime.ParseMediaType(hint.MediaType)
	if err != nil {
		return ""
	}
	return byMediaType[kind]
}

var byExtension = map[string]knowledge.Type{
	".csv": knowledge.CSV, ".tsv": knowledge.CSV, ".md": knowledge.Markdown, ".markdown": knowledge.Markdown, ".txt": knowledge.Text, ".log": knowledge.Text,
	".yaml": knowledge.YAML, ".yml": knowledge.YAML, ".html": knowledge.HTML, ".htm": knowledge.HTML,
}

var byMediaType = map[string]knowledge.Type{
	"text/csv": knowledge.CSV, "text/tab-separated-values": knowledge.CSV, "text/markdown": knowledge.Markdown, "text/html": knowledge.HTML,
	"text/yaml": knowledge.YAML, "application/yaml": knowledge.YAML, "application/x-yaml": knowledge.YAML,
}

// jsonLines reports a JSON object or array on every line, and more than one.
func jsonLines(text string) bool {
	n := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if line[0] != '{' && line[0] != '[' || !json.Valid([]byte(line)) {
			return false
		}
		n++
	}
	return n > 1
}

// yamlLike reports a text most lines of which are keys, items or comments.
func yamlLike(head string) bool {
	keys, total := 0, 0
	for line := range strings.Lines(head) {
		if line = strings.TrimRight(line, "\n "); line == "" {
			continue
		}
		total++
		if yamlLine.MatchString(line) {
			keys++
		}
	}
	return keys >= 2 && keys*10 >= total*7
}

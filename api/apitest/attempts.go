package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// expectation is what the answer to an attempt has to be, beside what the description
// says.
type expectation int

const (
	// served: a success.
	served expectation = iota
	// acceptable: it fits the description, so it is not refused as bad input. It may
	// name what does not exist, or come in a bad moment.
	acceptable
	// doubtful: it fits, and may be refused for what a schema cannot say.
	doubtful
	// refused: a fault of the caller, and where a field is at fault that one.
	refused
)

// attempt is a request, with what is wanted of the answer.
type attempt struct {
	what string
	request
	// field is what the attempt is about, "" where it is about the whole request.
	field string
	// single: it tries one of many values of the field.
	single bool
	want   expectation
	// status and code are the only ones that will do; 0 and "" leave them open.
	status int
	code   string
}

// trial makes the attempts at one operation.
type trial struct {
	drawing
	call
	op    *Operation
	token string
}

// all are the attempts, those that have to succeed first.
func (g *trial) all() []attempt {
	attempts := []attempt{g.minimal(), g.maximal()}
	attempts = append(attempts, g.parameters()...)
	attempts = append(attempts, g.fields()...)
	return append(attempts, g.protocol()...)
}

// base is the smallest valid request, without its body.
func (g *trial) base() request {
	r := request{call: g.call, segments: map[string]string{}, header: http.Header{}}
	if len(g.op.Security) > 0 {
		r.header.Set("Authorization", "Bearer "+g.token)
	}
	query := url.Values{}
	for _, p := range g.op.Parameters {
		if p.Required {
			g.set(&r, query, p, textOf(g.value(p.Schema, p.Name, false)))
		}
	}
	r.query = query.Encode()
	return r
}

func (g *trial) set(r *request, query url.Values, p Parameter, text string) {
	switch p.In {
	case "path":
		r.segments[p.Name] = text
	case "query":
		query.Set(p.Name, text)
	case "header":
		r.header.Set(p.Name, text)
	}
}

func (g *trial) withBody(r request, v any) request {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a body that was drawn: %v", err))
	}
	return g.withText(r, text)
}

func (g *trial) withText(r request, text []byte) request {
	r.header = r.header.Clone()
	r.header.Set("Content-Type", jsonMedia)
	r.body = text
	return r
}

// smallest is the smallest valid request.
func (g *trial) smallest() request {
	r := g.base()
	if s := g.doc.body(g.op); s != nil {
		return g.withBody(r, g.object(s, "", false))
	}
	return r
}

func (g *trial) minimal() attempt {
	return attempt{what: "what is required", request: g.smallest(), want: served}
}

func (g *trial) maximal() attempt {
	r, query := g.base(), url.Values{}
	for _, p := range g.op.Parameters {
		if v := g.value(p.Schema, p.Name, true); v != (absent{}) {
			g.set(&r, query, p, textOf(v))
		}
	}
	r.query = query.Encode()
	if s := g.doc.body(g.op); s != nil {
		r = g.withBody(r, g.object(s, "", true))
	}
	return attempt{what: "everything", request: r, want: served}
}

// parameters tries values in each parameter.
func (g *trial) parameters() (all []attempt) {
	for _, p := range g.op.Parameters {
		for _, candidate := range candidates(g.doc.resolve(p.Schema)) {
			if a, ok := g.parameter(p, candidate); ok {
				all = append(all, a)
			}
		}
		all = append(all, g.around(p)...)
	}
	return all
}

// parameter tries one value; false where it cannot be sent or waits for long.
func (g *trial) parameter(p Parameter, candidate any) (attempt, bool) {
	if _, ok := candidate.(map[string]any); ok {
		return attempt{}, false
	}
	text := textOf(candidate)
	fits := len(g.doc.misfits(p.Schema, valueOf(g.doc.resolve(p.Schema), text))) == 0
	switch {
	case p.In == "path" && (text == "" || strings.Contains(text, "/")): // another path
		return attempt{}, false
	case p.In == "header" && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }):
		return attempt{}, false
	case p.Name == "atLeast" && fits: // a position that is not there is waited for
		return attempt{}, false
	}
	r := g.smallest()
	query, _ := url.ParseQuery(r.query)
	g.set(&r, query, p, text)
	r.query = query.Encode()
	return attempt{what: fmt.Sprintf("%s = %s", p.Name, brief(text)), request: r, field: p.Name, single: true, want: g.expected(p.Name, text, fits)}, true
}

// expected is what a value has to come to.
func (g *trial) expected(path, text string, fits bool) expectation {
	_, special := g.known.at(g.operation, path)
	switch {
	case text == "": // it counts as absent for most
		return doubtful
	case !fits && isTolerated(path):
		return doubtful
	case !fits:
		return refused
	case special || strings.ContainsRune(text, 0) || len(text) > longText:
		return doubtful
	}
	return acceptable
}

// tolerated are parts of a body that are read as far as they can be: a page is what it
// is, and no fault of the caller's.
var tolerated = []string{"interactiveTree", "semanticNodes", "scrollableContainers"}

func isTolerated(path string) bool {
	first, _, inside := strings.Cut(withoutIndexes(path), ".")
	return slices.Contains(tolerated, first) && (inside || strings.Contains(path, firstItem))
}

// longText is longer than small bodies.
const longText = 60_000

// around tries a parameter that is missing or there twice.
func (g *trial) around(p Parameter) (all []attempt) {
	if p.In != "query" {
		return nil
	}
	r := g.smallest()
	query, _ := url.ParseQuery(r.query)
	if p.Required {
		query.Del(p.Name)
		r.query = query.Encode()
		all = append(all, attempt{what: "without " + p.Name, request: r, field: p.Name, want: refused, status: http.StatusBadRequest})
	}
	if s := g.doc.resolve(p.Schema); !slices.Contains(s.Type, "array") {
		v := g.value(s, p.Name, true)
		query[p.Name] = []string{textOf(v), textOf(v)}
		r.query = query.Encode()
		all = append(all, attempt{what: p.Name + " twice", request: r, field: p.Name, want: refused, status: http.StatusBadRequest})
	}
	return all
}

// textOf is a value as parameters are written.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, textOf(one))
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

// valueOf reads a parameter as its schema has it.
func valueOf(s *Schema, text string) any {
	for _, kind := range s.Type {
		switch kind {
		case "integer", "number":
			var n json.Number
			if json.Unmarshal([]byte(text), &n) == nil && !strings.HasPrefix(text, `"`) {
				return n
			}
		case "boolean":
			if text == "true" || text == "false" {
				return text == "true"
			}
		case "array":
			items := []any{}
			for part := range strings.SplitSeq(text, ",") {
				items = append(items, valueOf(s.Items, part))
			}
			return items
		}
	}
	return text
}

// fields tries values in each field of the body, and leaves out what is required.
func (g *trial) fields() (all []attempt) {
	s := g.doc.body(g.op)
	if s == nil {
		return nil
	}
	g.eachField(s, nil, func(path []string, field *Schema, required bool) {
		for _, v := range candidates(field) {
			all = append(all, g.field(s, path, field, v, required))
		}
		if required {
			name := pathOf(path)
			all = append(all, attempt{what: "without " + name, request: g.withField(s, path, absent{}), field: name, want: g.expected(name, "null", false)})
		}
	})
	return all
}

func (g *trial) field(s *Schema, path []string, field *Schema, v any, required bool) attempt {
	name := pathOf(path)
	text, isText := v.(string)
	if !isText {
		text = brief(v)
	}
	want := g.expected(name, text, len(g.doc.misfits(field, v)) == 0)
	switch {
	case v == nil && !required: // it counts as absent
		want = doubtful
	case v == nil:
		want = g.expected(name, text, false)
	}
	return attempt{what: fmt.Sprintf("%s = %s", name, brief(v)), request: g.withField(s, path, v), field: name, single: true, want: want}
}

// eachField visits the properties of a body at any depth, and the items of lists.
func (g *trial) eachField(s *Schema, path []string, visit func([]string, *Schema, bool)) {
	s = g.doc.objectIn(s)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		g.visitField(s.Properties[name], append(slices.Clone(path), name), slices.Contains(s.Required, name), visit)
	}
}

func (g *trial) visitField(s *Schema, path []string, required bool, visit func([]string, *Schema, bool)) {
	s = g.doc.resolve(s)
	visit(path, s, required)
	if s.Items != nil {
		g.visitField(s.Items, append(slices.Clone(path), firstItem), false, visit)
	}
	g.eachField(s, path, visit)
}

// firstItem is the step of a path into a list.
const firstItem = "[0]"

func pathOf(steps []string) string {
	return strings.ReplaceAll(strings.Join(steps, "."), "."+firstItem, firstItem)
}

// companions are fields that have to be there with another.
var companions = map[string]string{"chainPartialState": "lastExecutedActionIndex"}

// withField is the smallest body with a value at a path, or without it.
func (g *trial) withField(s *Schema, path []string, v any) request {
	body := g.placed(s, "", path, v).(map[string]any)
	if other, ok := companions[path[0]]; ok {
		body[other], _ = g.known.at(g.operation, other)
	}
	return g.withBody(g.base(), body)
}

func (g *trial) placed(s *Schema, at string, path []string, v any) any {
	if len(path) == 0 {
		return v
	}
	if s = g.doc.resolve(s); path[0] == firstItem {
		return []any{g.placed(s.Items, at+firstItem, path[1:], v)}
	}
	s = g.doc.objectIn(s)
	o := g.object(s, at, false).(map[string]any)
	if len(path) == 1 && v == (absent{}) {
		delete(o, path[0])
		return o
	}
	o[path[0]] = g.placed(s.Properties[path[0]], join(at, path[0]), path[1:], v)
	return o
}

// protocol tries what no schema speaks of.
func (g *trial) protocol() (all []attempt) {
	r := g.smallest()
	with := func(what string, want expectation, status int, code string, change func(*request)) {
		r := r
		r.header = r.header.Clone()
		change(&r)
		all = append(all, attempt{what: what, request: r, want: want, status: status, code: code})
	}
	with("a parameter nobody knows", served, 0, "", func(r *request) { r.query = strings.TrimPrefix(r.query+"&nobodyKnows=1", "&") })
	with("a query string that cannot be decoded", refused, http.StatusBadRequest, "INVALID_REQUEST", func(r *request) { r.query += "&a=%zz" })
	with("a query string that is no text", refused, http.StatusBadRequest, "", func(r *request) { r.query += "&a=%ff" })
	with("a method that is none", refused, http.StatusMethodNotAllowed, "INVALID_REQUEST", func(r *request) { r.method = "FROB" })
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if g.doc.operation(call{method, g.path}) == nil {
			with("the method "+method, refused, http.StatusMethodNotAllowed, "INVALID_REQUEST", func(r *request) { r.method = method })
		}
	}
	if len(g.op.Security) > 0 {
		with("without a token", refused, http.StatusUnauthorized, "UNAUTHORIZED", func(r *request) { r.header.Del("Authorization") })
		with("an unknown token", refused, http.StatusUnauthorized, "UNAUTHORIZED", func(r *request) { r.header.Set("Authorization", "Bearer x") })
	}
	if r.body == nil {
		with("a body nobody asked for", served, 0, "", func(r *request) { r.body = []byte("\xff{") })
		return all
	}
	for _, media := range []string{"", "text/plain", "application/xml", "application/json; charset=latin1", "application/jsonx", "multipart/form-data"} {
		with("the media type "+quote(media), refused, http.StatusUnsupportedMediaType, "INVALID_REQUEST", func(r *request) { r.header.Set("Content-Type", media) })
	}
	with("a coding nobody takes", refused, http.StatusUnsupportedMediaType, "INVALID_REQUEST", func(r *request) { r.header.Set("Content-Encoding", "br") })
	with("what is not of its coding", refused, http.StatusBadRequest, "INVALID_REQUEST", func(r *request) { r.header.Set("Content-Encoding", "gzip") })
	broken := brokenBodies(r.body)
	for _, what := range slices.Sorted(maps.Keys(broken)) {
		with(what, refused, http.StatusBadRequest, "INVALID_REQUEST", func(r *request) { r.body = broken[what] })
	}
	with("a field nobody knows", served, 0, "", func(r *request) { r.body = extended(r.body, `"nobodyKnows":{"a":[null,1.5e300]}`) })
	with("half a character", doubtful, 0, "", func(r *request) { r.body = extended(r.body, `"nobodyKnows":"\ud800"`) })
	with("a long field nobody knows", doubtful, 0, "", func(r *request) { r.body = extended(r.body, `"nobodyKnows":"`+whole(70_000)+`"`) })
	return all
}

// brokenBodies are none, made of a valid one.
func brokenBodies(valid []byte) map[string][]byte {
	return map[string][]byte{
		"no body": {}, "a list": []byte("[]"), "null": []byte("null"), "a text": []byte(`"x"`), "a number": []byte("7"),
		"half a body": valid[:len(valid)-1], "two bodies": append(slices.Clone(valid), valid...), "no JSON": []byte("url=x"),
		"not UTF-8":     extended(valid, "\"nobodyKnows\":\"\xff\""),
		"a field twice": extended(valid, `"nobodyKnows":1,"nobodyKnows":2`),
		"a deep body":   extended(valid, `"nobodyKnows":`+strings.Repeat("[", 500)+strings.Repeat("]", 500)),
	}
}

// extended adds a member to the text of an object.
func extended(object []byte, member string) []byte {
	out := append([]byte("{"), member...)
	if rest := object[1:]; string(rest) != "}" {
		return append(append(out, ','), rest...)
	}
	return append(out, '}')
}

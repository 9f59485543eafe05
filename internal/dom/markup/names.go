package markup

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// kind says which rule of the HTML standard a tag falls under inside the body
// (13.2.6.4.7); the other modes ask for the atom where they differ.
type kind uint8

const (
	ordinary kind = iota
	block         // closes a paragraph; ends with what is implied inside it
	heading
	preformatted
	form
	listItem
	description // dt, dd
	plaintext
	button
	anchor
	formatting
	noBreak
	embedding // applet, marquee, object
	table
	void // inline ones without content
	input
	voidApart // param, source, track: formatting is not opened again for them
	rule
	image
	textarea
	rawBlock // xmp
	raw      // iframe, noembed, noscript: their content is text
	selectTag
	option
	optionGroup
	rubyBase
	rubyText
	math
	svg
	part // of a table, of a frameset or of the document: ignored inside the body
	root
	body
	metadata
	frameset
	template
	paragraph
)

// flags are what an element means to what is open inside and around it.
type flags uint16

const (
	special    flags = 1 << iota // ends the search for the start of an ordinary end tag
	scopeEnd                     // ends every scope but that of a table
	impliedEnd                   // closed by the end of what is around it
	rawContent                   // followed by text up to its end tag
	decoded                      // of which references are decoded
	mayFoster                    // text directly inside it belongs elsewhere
)

// name is what is known of a tag name.
type name struct {
	data  string
	atom  atom.Atom
	kind  kind
	flags flags
}

// names are the tags with rules of their own.
var names = knownNames()

func knownNames() map[string]*name {
	m := map[string]*name{}
	get := func(tag string) *name {
		if m[tag] == nil {
			m[tag] = &name{data: tag, atom: atom.Lookup([]byte(tag))}
		}
		return m[tag]
	}
	for k, list := range map[kind]string{
		block: "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup main menu nav ol" +
			" search section summary ul",
		paragraph: "p", heading: "h1 h2 h3 h4 h5 h6", preformatted: "pre listing", form: "form", listItem: "li", description: "dd dt",
		plaintext: "plaintext", button: "button", anchor: "a", formatting: "b big code em font i s small strike strong tt u", noBreak: "nobr",
		embedding: "applet marquee object", table: "table", void: "area br embed img keygen wbr", input: "input", voidApart: "param source track",
		rule: "hr", image: "image", textarea: "textarea", rawBlock: "xmp", raw: "iframe noembed noscript", selectTag: "select", option: "option",
		optionGroup: "optgroup", rubyBase: "rb rtc", rubyText: "rp rt", math: "math", svg: "svg",
		part: "caption col colgroup frame head tbody td tfoot th thead tr", root: "html", body: "body",
		metadata: "base basefont bgsound link meta noframes script style title", frameset: "frameset", template: "template",
		ordinary: "span label abbr time path g use rect circle cite sub sup picture video audio legend canvas mark data kbd var q del ins",
	} {
		for tag := range strings.FieldsSeq(list) {
			get(tag).kind = k
		}
	}
	for f, list := range map[flags]string{
		special: "address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir div" +
			" dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li" +
			" link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script section select source style" +
			" summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp",
		scopeEnd:   "applet caption html table td th marquee object template select",
		impliedEnd: "dd dt li optgroup option p rb rp rt rtc",
		rawContent: "iframe noembed noframes noscript plaintext script style textarea title xmp",
		decoded:    "textarea title",
		mayFoster:  "table tbody tfoot thead tr",
	} {
		for tag := range strings.FieldsSeq(list) {
			get(tag).flags |= f
		}
	}
	return m
}

// cacheSize is how many names of a page are kept at hand.
const cacheSize = 64

// nameCache has the names of a page by a hash of them: pages use few.
type nameCache [cacheSize]name

// of returns what is known of a tag name in lower case. It is valid until the next.
func (c *nameCache) of(tag string) *name {
	n := &c[(uint(len(tag))*7+uint(tag[0])*3+uint(tag[len(tag)-1]))%cacheSize]
	if n.data == tag {
		return n
	}
	if known := names[tag]; known != nil {
		*n = *known
		return n
	}
	*n = name{data: tag, atom: atom.Lookup([]byte(tag))}
	if n.atom != 0 {
		n.data = n.atom.String()
	}
	return n
}

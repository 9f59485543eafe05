package markup

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// inForeign reports whether the token is one of SVG.
func (p *parser) inForeign() bool {
	if len(p.open) == 0 || !p.top().svg {
		return false
	}
	return !p.top().integrates() || p.tok.kind != startTag && p.tok.kind != textToken
}

// foreign takes a token inside SVG and reports whether it was used up.
func (p *parser) foreign() bool {
	switch p.tok.kind {
	case textToken:
		p.addText(p.tok.data)
	case comment:
		p.addComment(p.current())
	case startTag:
		if breakout[p.tok.name.data] || p.tok.name.atom == atom.Font {
			p.giveUp() // it ends the SVG
			return true
		}
		if adjusted := svgNames[p.tok.name.data]; adjusted != "" {
			p.tok.name = name{data: adjusted, atom: atom.Lookup([]byte(adjusted))}
		}
		p.addForeign()
	case endTag:
		return p.endForeign()
	}
	return true
}

// addForeign adds an element of SVG.
func (p *parser) addForeign() {
	for i := range p.tok.attrs {
		a := &p.tok.attrs[i]
		if adjusted := svgAttributes[a.Key]; adjusted != "" {
			a.Key = adjusted
		}
		if space, key, ok := strings.Cut(a.Key, ":"); ok && foreignAttributes[a.Key] {
			a.Namespace, a.Key = space, key
		}
	}
	n := p.element()
	n.Namespace = "svg"
	appendChild(p.current(), n)
	if !p.tok.selfClosing {
		p.push(open{node: n, atom: n.DataAtom, svg: true})
	}
}

func (p *parser) endForeign() bool {
	tag := p.tok.name.data
	for i := len(p.open) - 1; i >= 0; i-- {
		if strings.EqualFold(p.open[i].node.Data, tag) {
			p.popTo(i)
			return true
		}
		if i > 0 && !p.open[i-1].svg {
			break
		}
	}
	return p.mode(p)
}

// What is written in small letters in a page and has capitals in the tree.
var (
	svgNames = capitals("altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix feComponentTransfer feComposite " +
		"feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge " +
		"feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient " +
		"radialGradient textPath")
	svgAttributes = capitals("attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode filterUnits glyphRef gradientTransform " +
		"gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits " +
		"markerWidth maskContentUnits maskUnits numOctaves pathLength patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ " +
		"preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur requiredExtensions requiredFeatures specularConstant " +
		"specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength " +
		"viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan")
)

func capitals(list string) map[string]string {
	m := map[string]string{}
	for s := range strings.FieldsSeq(list) {
		m[strings.ToLower(s)] = s
	}
	return m
}

// breakout are the HTML elements that end the SVG they stand in.
var breakout = setOf("b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small " +
	"span strong strike sub sup table tt u ul var")

// foreignAttributes are those with a namespace of their own.
var foreignAttributes = setOf("xlink:actuate xlink:arcrole xlink:href xlink:role xlink:show xlink:title xlink:type xml:lang xml:space xmlns:xlink")

func setOf(list string) map[string]bool {
	m := map[string]bool{}
	for s := range strings.FieldsSeq(list) {
		m[s] = true
	}
	return m
}

package snapshot

import (
	"strings"
)

// set makes a set of words.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// elements of HTML that are kept as they are.
var elements = set(`a abbr acronym address area article aside b bdi bdo big blockquote br button caption center cite code
	col colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4
	h5 h6 header hgroup hr i img input ins kbd label legend li main mark menu meter nav nobr ol optgroup option output p
	picture pre progress q rp rt ruby s samp search section select slot small span strike strong sub summary sup table tbody
	td textarea tfoot th thead time tr tt u ul var wbr`)

// left out with all that is in them.
var dropped = set(`applet audio base basefont bgsound canvas embed frame frameset head iframe link math meta noembed noframes
	noscript object param plaintext portal script source style template title track video xmp`)

// placeholders are those of them that a person saw something of.
var placeholders = set("applet audio canvas embed frame iframe object portal video")

// shapes of SVG that are kept. What they refer to is not.
var shapes = set("svg g path rect circle ellipse line polyline polygon text tspan")

// attributes of HTML that are kept; aria- is too.
var attributes = set(`align alt bgcolor border cellpadding cellspacing checked class colspan cols color datetime dir disabled
	face for headers height hidden high id label lang low max maxlength min multiple open optimum placeholder readonly role rows
	rowspan scope selected size slot span start title type valign value width wrap`)

// shapeAttributes of SVG that are kept, beside class, id and style.
var shapeAttributes = set(`cx cy d dx dy fill fill-opacity fill-rule font-size font-weight height opacity points
	preserveaspectratio r rx ry stroke stroke-linecap stroke-linejoin stroke-opacity stroke-width text-anchor transform viewbox
	width x x1 x2 y y1 y2`)

// spelling of what SVG does not write in lower case.
var spelling = map[string]string{"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio"}

// void elements have no end tag.
var void = set("area br col hr img input wbr")

// functions of style sheets that are kept. None of them takes an address.
var functions = set(`abs acos asin atan atan2 blur brightness calc calc-size circle clamp color color-mix conic-gradient
	contrast cos counter counters cubic-bezier drop-shadow ellipse env exp fit-content format grayscale hsl hsla hue-rotate hwb
	hypot inset invert lab lch light-dark linear linear-gradient log matrix matrix3d max min minmax mod oklab oklch opacity path
	perspective polygon pow radial-gradient ray rect rem repeat repeating-conic-gradient repeating-linear-gradient
	repeating-radial-gradient rgb rgba rotate rotate3d rotatex rotatey rotatez round saturate scale scale3d scalex scaley scalez
	sepia shape sign sin skew skewx skewy sqrt steps tan translate translate3d translatex translatey translatez var xywh
	-webkit-gradient -webkit-linear-gradient -webkit-radial-gradient -moz-linear-gradient
	dir has host host-context is lang not nth-child nth-last-child nth-last-of-type nth-of-type part slotted state where
	and or selector layer`)

// atRules of style sheets that are kept.
var atRules = set("media supports layer container keyframes -webkit-keyframes -moz-keyframes scope starting-style")

// properties that are not: old ways to attach code.
var badProperties = set("behavior -moz-binding")

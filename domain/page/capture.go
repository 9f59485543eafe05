package page

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
)

// Extraction modes (spec §8). An empty mode is inferred from the fields that are set.
const (
	ModeSemanticV3 = "semantic_v3"
	ModeSemantic   = "semantic"
	ModeSkeleton   = "skeleton"
	ModeHybrid     = "hybrid"
	ModeFull       = "full"
	// ModeFiltered is semantic_v3 without the elements the client thought beside the point
	// (spec §2.6.2): what is not on such a page may be there all the same.
	ModeFiltered = "filtered"
)

// Limits on a capture. Lengths are in UTF-16 units, as the client counts them.
const (
	// MaxDOM is the longest dom and skeletonDom of every mode but full.
	MaxDOM = 500_000
	// MaxFullDOM is the longest dom in mode full.
	MaxFullDOM = 5_000_000
	// MaxTree is how many nodes of a tree are read: the largest of 130 real
	// articles had 3,874.
	MaxTree = 20_000
)

// Capture is a page as the client sent it: the page fields of an interact request,
// decoded straight from its body. Ids and values may be numbers or strings.
type Capture struct {
	URL            string            `json:"url"`
	Mode           string            `json:"domMode,omitempty"`
	DOM            string            `json:"dom,omitempty"`
	Tree           []NodeV3          `json:"interactiveTree,omitempty"`
	Nodes          []Node            `json:"semanticNodes,omitempty"`
	SkeletonDOM    string            `json:"skeletonDom,omitempty"`
	Screenshot     string            `json:"screenshot,omitempty"` // base64 or a data URL
	ScreenshotHash string            `json:"screenshotHash,omitempty"`
	Viewport       *Viewport         `json:"viewport,omitempty"`
	Title          string            `json:"pageTitle,omitempty"`
	ScrollPosition Scalar            `json:"scrollPosition,omitempty"` // "25%"
	Containers     []ScrollContainer `json:"scrollableContainers,omitempty"`
	ActiveElement  Scalar            `json:"activeElement,omitempty"`
	// Secrets are the values removed from a redacted capture. They are not part of
	// it.
	Secrets []string `json:"-"`
}

// HasPage reports whether the capture has anything to read a page from.
func (c Capture) HasPage() bool {
	return c.DOM != "" || len(c.Tree) > 0 || len(c.Nodes) > 0 || c.SkeletonDOM != ""
}

// NodeV3 is a node of the minified tree (spec §2, SemanticNodeV3).
type NodeV3 struct {
	ID       Scalar      `json:"i"`
	Role     string      `json:"r"`
	Name     Scalar      `json:"n,omitempty"`
	Value    Scalar      `json:"v,omitempty"`
	State    Scalar      `json:"s,omitempty"` // "disabled", "checked,required"
	XY       *[2]float64 `json:"xy,omitempty"`
	Frame    Scalar      `json:"f,omitempty"` // 0 or absent is the main frame
	Box      *[4]float64 `json:"box,omitempty"`
	Scroll   *ScrollInfo `json:"scr,omitempty"`
	Occluded bool        `json:"occ,omitempty"`
	Focused  bool        `json:"focused,omitempty"`
}

// Node is a node of the full-key list (spec §9, SemanticNode).
type Node struct {
	ID          Scalar  `json:"id"`
	Role        string  `json:"role"`
	Name        Scalar  `json:"name,omitempty"`
	Value       Scalar  `json:"value,omitempty"`
	State       Scalar  `json:"state,omitempty"`
	Type        string  `json:"type,omitempty"`
	Placeholder string  `json:"placeholder,omitempty"`
	Href        string  `json:"href,omitempty"`
	Frame       Scalar  `json:"frameId,omitempty"`
	InShadow    bool    `json:"isInShadow,omitempty"`
	Bounds      *Bounds `json:"bounds,omitempty"`
}

// ScrollInfo is how far a container is scrolled and whether there is more.
type ScrollInfo struct {
	Depth Scalar `json:"depth,omitempty"`
	More  bool   `json:"h,omitempty"`
}

// ScrollContainer is a virtual list of the page.
type ScrollContainer struct {
	ID      Scalar `json:"id"`
	Depth   Scalar `json:"depth,omitempty"`
	HasMore bool   `json:"hasMore,omitempty"`
}

// Viewport in CSS pixels.
type Viewport struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Bounds of a node in CSS pixels.
type Bounds struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Scalar is a text that clients also send as a number or a boolean; null is "".
// Objects and arrays are refused.
type Scalar string

var scalarType = reflect.TypeFor[Scalar]()

// UnmarshalJSON implements json.Unmarshaler.
func (s *Scalar) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0 || bytes.Equal(data, []byte("null")):
		*s = ""
		return nil
	case data[0] == '"':
		if n := plainText(data[1:]); n >= 0 && n+2 == len(data) {
			*s = Scalar(data[1 : n+1])
			return nil
		}
		return json.Unmarshal(data, (*string)(s))
	case data[0] == '{' || data[0] == '[':
		return &json.UnmarshalTypeError{Value: map[byte]string{'{': "object", '[': "array"}[data[0]], Type: scalarType}
	}
	*s = Scalar(data)
	if bytes.ContainsAny(data, ".eE") { // 14, 14.0 and 1.4e1 are one id
		if f, err := strconv.ParseFloat(string(data), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			*s = Scalar(strconv.FormatInt(int64(f), 10))
		}
	}
	return nil
}

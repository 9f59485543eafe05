package page

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCapture_decodesAnInteractBody(t *testing.T) {
	t.Parallel()
	body := `{
	  "url": "https://shop.test/", "query": "Search", "taskId": null, "dom": "<html></html>", "domMode": "semantic_v3",
	  "viewport": {"width": 1280, "height": 800}, "pageTitle": "Shop", "scrollPosition": "25%", "activeElement": 14,
	  "screenshot": null,
	  "interactiveTree": [
	    {"i": "14", "r": "inp", "n": "Search", "v": "SpaceX", "s": "focused", "xy": [400, 300.5], "focused": true},
	    {"i": 15, "r": "btn", "n": "Go", "box": [350, 330, 100, 40], "occ": true, "f": 1},
	    {"i": "feed", "r": "list", "n": null, "scr": {"depth": "10%", "h": true}}],
	  "semanticNodes": [{"id": 6.0, "role": "textbox", "value": 42, "frameId": 0, "bounds": {"x": 1, "y": 2, "width": 3, "height": 4}}],
	  "scrollableContainers": [{"id": "cart", "depth": "0%", "hasMore": true}]
	}`
	var got Capture
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	want := Capture{
		URL: "https://shop.test/", DOM: "<html></html>", Mode: ModeSemanticV3, Viewport: &Viewport{1280, 800},
		Title: "Shop", ScrollPosition: "25%", ActiveElement: "14",
		Tree: []NodeV3{
			{ID: "14", Role: "inp", Name: "Search", Value: "SpaceX", State: "focused", XY: &[2]float64{400, 300.5}, Focused: true},
			{ID: "15", Role: "btn", Name: "Go", Box: &[4]float64{350, 330, 100, 40}, Occluded: true, Frame: "1"},
			{ID: "feed", Role: "list", Scroll: &ScrollInfo{Depth: "10%", More: true}},
		},
		Nodes:      []Node{{ID: "6", Role: "textbox", Value: "42", Frame: "0", Bounds: &Bounds{1, 2, 3, 4}}},
		Containers: []ScrollContainer{{ID: "cart", Depth: "0%", HasMore: true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back Capture
	if err := json.Unmarshal(again, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, back); diff != "" {
		t.Error("stored and read again it differs:", diff)
	}
}

func TestScalar(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Scalar{
		`"f1_5"`: "f1_5", `14`: "14", `14.0`: "14", `1.4e1`: "14", `0.5`: "0.5", `true`: "true", `null`: "",
		`9007199254740993`: "9007199254740993", `"\ud800x"`: "\ufffdx",
	} {
		var got Scalar
		if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{`{}`, `[1]`} {
		var c Capture
		err := json.Unmarshal([]byte(`{"interactiveTree":[{"i":`+in+`}]}`), &c)
		var wrong *json.UnmarshalTypeError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestCapture_HasPage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		capture Capture
		want    bool
	}{
		"nothing":         {Capture{URL: "https://a.test/", Mode: ModeSemanticV3, Title: "A", Screenshot: "x"}, false},
		"an empty tree":   {Capture{Tree: []NodeV3{}}, false},
		"a document":      {Capture{DOM: "<p>"}, true},
		"a tree":          {Capture{Tree: []NodeV3{{}}}, true},
		"a list of nodes": {Capture{Nodes: []Node{{}}}, true},
		"a skeleton":      {Capture{SkeletonDOM: "<p>"}, true},
	} {
		if got := c.capture.HasPage(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

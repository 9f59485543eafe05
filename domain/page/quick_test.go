package page

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainly is a node as encoding/json reads it.
func plainly(data []byte) (NodeV3, error) {
	type plain NodeV3
	var n plain
	err := json.Unmarshal(data, &n)
	return NodeV3(n), err
}

var nodes = []string{
	`{"i":"14","r":"inp","n":"Search","v":"SpaceX","s":"checked,required","xy":[400,300.5],"f":1,"box":[100,140,200,30],"occ":true,"focused":false}`,
	` { "i" : 14 , "r" : "btn" , "n" : "Grüße 🙂" , "xy" : [ -1 , 2e2 ] } `,
	`{"i":"a\"b","r":"btn","n":"line\nbreak"}`,
	`{"i":null,"n":true,"v":1.50,"s":false,"xy":null,"box":null}`,
	`{"I":"upper","R":"btn","unknown":{"a":[1,2]}}`,
	`{"i":"feed","r":"list","scr":{"depth":"10%","h":true}}`,
	`{"i":14.0,"v":1e3}`, `{"v":-0,"xy":[-0,-0.0]}`, `{"v":0,"xy":[0,00]}`,
	`{"xy":[1]}`, `{"xy":[1,2,3]}`, `{"xy":[]}`, `{"xy":[1,"2"]}`, `{"xy":[99999999999999999999,1e400]}`, `{"xy":[9007199254740993,1]}`,
	`{"i":"1","i":"2"}`, `{}`, `{"i":"1",}`, `{,}`, `{"i":"1"} x`, `{"i"`, `"text"`, `[]`, `null`, ``, `{"i":"0}`, `{"i":"1" "r":"x"}`,
	`{"r":14}`, `{"i":{}}`, `{"occ":"yes"}`, `{"occ":truex}`, "{\"n\":\"\xff\xfe\"}", "{\"n\":\"a\tb\"}", `{"n":"\u200b"}`,
}

// What is read directly is what encoding/json would have read.
func FuzzNodeV3(f *testing.F) {
	for _, s := range nodes {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var quick NodeV3
		if !quick.read(&cursor{data: data}) {
			return
		}
		want, err := plainly(data)
		if err != nil {
			t.Fatalf("encoding/json refuses %q: %v", data, err)
		}
		if diff := cmp.Diff(want, quick); diff != "" {
			t.Errorf("%q (-encoding/json +quick):\n%s", data, diff)
		}
	})
}

func TestNodeV3_IsDecodedAsByEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, s := range nodes {
		var got struct{ Node NodeV3 }
		err := json.Unmarshal([]byte(`{"Node":`+s+`}`), &got)
		want, wantErr := plainly([]byte(s))
		if (err == nil) != (wantErr == nil && json.Valid([]byte(s))) {
			t.Errorf("%q: error %v, encoding/json has %v", s, err, wantErr)
		}
		if err == nil && !cmp.Equal(want, got.Node) {
			t.Errorf("%q: %+v, encoding/json has %+v", s, got.Node, want)
		}
	}
}

// A field no one told the quick way about would only be slow; one it fills
// wrongly would be lost.
func TestNodeV3_ReadsEveryFieldButScrollDirectly(t *testing.T) {
	t.Parallel()
	var n NodeV3
	if !n.read(&cursor{data: []byte(nodes[0])}) {
		t.Fatal("a node as clients write it is not read directly")
	}
	n.Focused = true
	v := reflect.ValueOf(n)
	for i := range v.NumField() {
		if v.Field(i).IsZero() && v.Type().Field(i).Name != "Scroll" {
			t.Errorf("%s is not read directly", v.Type().Field(i).Name)
		}
	}
}

func TestNodeV3_NamesTheFieldAtFault(t *testing.T) {
	t.Parallel()
	var c Capture
	err := json.Unmarshal([]byte(`{"interactiveTree":[{"i":"1","r":7}]}`), &c)
	if err == nil || !strings.Contains(err.Error(), "interactiveTree.r") {
		t.Errorf("error %v, want it to name interactiveTree.r", err)
	}
}

package strictjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type inner struct {
	Shadowed string `json:"shadowed"`
	Deep     int8   `json:"deep"`
	hidden   string //nolint:unused // as a field that is never filled
}

type loud string

func (l *loud) UnmarshalJSON(b []byte) error {
	*l = loud(strings.ToUpper(string(b)))
	if *l == `"NO"` {
		return errors.New("no")
	}
	return nil
}

// everything has a field of every kind.
type everything struct {
	inner
	Text     string         `json:"text,omitempty"`
	Named    loud           `json:"named"`
	Flag     bool           `json:"flag"`
	Int      int            `json:"int"`
	Float    float64        `json:"float"`
	Small    float32        `json:"small"`
	Maybe    *bool          `json:"maybe"`
	Text2    **string       `json:"text2"`
	List     []string       `json:"list"`
	Pair     *[2]float64    `json:"pair"`
	Bytes    []byte         `json:"bytes"`
	Map      map[string]int `json:"map"`
	Any      any            `json:"any"`
	At       time.Time      `json:"at"`
	Uint     uint16         `json:"uint"`
	Self     []everything   `json:"self"`
	Mother   *everything    `json:"mother"`
	Shadowed int            `json:"shadowed"`
	NoTag    string
	Never    string `json:"-"`
	Kelvin   string `json:"kKelvin"`
	Umlaut   string `json:"größe"`
}

var samples = []string{
	`{"text":"a","named":"b","flag":true,"int":-12,"float":1.5e3,"small":0.1,"maybe":false,"text2":"x","list":["a","b",null]}`,
	`{"pair":[1,2],"bytes":"AAEC","map":{"a":1},"any":[{"x":null}],"at":"2026-01-02T03:04:05Z","uint":7}`,
	`{"self":[{"text":"1"},{"self":[]}],"mother":{"mother":{"int":1}},"shadowed":3,"deep":-128,"noTag":"x","NOTAG":"y"}`,
	`{"TEXT":"upper","KKELVIN":"\u212a","` + "\u212a" + `kelvin":"k","GRÖSSE":"x","GRÖßE":"y","-":"z","Never":"n","hidden":"h"}`,
	`{"text":null,"named":null,"flag":null,"int":null,"float":null,"maybe":null,"text2":null,"list":null,"self":null,"mother":null}`,
	`{"text":"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\ud800x\udc00\ud800\u0041"}`, `{"t\u0065xt":"escaped name"}`,
	`{"text":"\x"}`, `{"text":"\u12g4"}`, "{\"text\":\"a\nb\"}", `{"text":1}`, `{"int":1.0}`, `{"int":1e3}`, `{"deep":128}`, `{"float":1e999}`, `{"flag":"true"}`,
	`{"list":{}}`, `{"mother":[]}`, `{"int":01}`, `{"int":-}`, `{"float":.5}`, `{"float":1.}`, `{"flag":tru}`, `{"named":"no"}`, `{"other":[01]}`, `{"other":nul}`,
	`{"other":{"a":[true,false,null,-0.5E+2,"\u0000"]}}`, `null`, `[]`, `"x"`, `{}x`, ` { } `, `{"a":1,}`, `{"text":"a","text":"b"}`, `{"text":"a","Text":"b"}`,
	`{"other":1,"OTHER":2}`, `{"mother":{"mother":{"mother":{"text":"a","TEXT":"b"}}}}`, "{\"text\":\"\xff\"}", `{"text":"日本語 😀"}`, `{"list":[` + strings.Repeat(`"x",`, 100) + `"x"]}`,
	`{"any":` + strings.Repeat("[", 10) + strings.Repeat("]", 10) + `}`, `{"text":"12345678\"12345678\\1234567\u00e9"}`,
}

// slowly is what Unmarshal is to do.
func slowly(doc []byte, into any, l Limits) error {
	if fault := new(Fault); errors.As(Check(doc, l), &fault) {
		return fault
	}
	return json.Unmarshal(doc, into)
}

// agree compares the one pass with the two, and Unmarshal with both.
func agree(t *testing.T, doc []byte, l Limits) {
	t.Helper()
	var got, want, fast everything
	err, wantErr := Unmarshal(doc, &got, l), slowly(doc, &want, l)
	if wantErr == nil != (err == nil) || err != nil && err.Error() != wantErr.Error() || !reflect.DeepEqual(got, want) {
		t.Errorf("%.200q:\ngot  %+v, %v\nwant %+v, %v", doc, got, err, want, wantErr)
	}
	r := &reader{doc: doc, limits: l}
	if v := reflect.ValueOf(&fast).Elem(); !utf8.Valid(doc) || !r.value(v, fillerOf(v.Type())) || !r.ended() {
		if wantErr == nil && l.Fold >= l.Depth {
			t.Errorf("%.200q is read twice", doc)
		}
		return
	}
	if wantErr != nil || !reflect.DeepEqual(fast, want) {
		t.Errorf("%.200q in one pass:\ngot  %+v\nwant %+v, %v", doc, fast, want, wantErr)
	}
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	for _, doc := range samples {
		agree(t, []byte(doc), roomy)
		agree(t, []byte(doc), Limits{Depth: 10, Items: 100, Values: 1000, Fold: 2})
		agree(t, []byte(doc), Limits{Depth: 3, Items: 4, Values: 9, Fold: 3})
	}
}

// A type whose fields encoding/json has rules for that this package has not is its alone.
func TestUnmarshal_OddStructs(t *testing.T) {
	t.Parallel()
	type odd struct {
		*inner
		Number int `json:"number,string"`
	}
	for _, doc := range []string{`{"number":"12"}`, `{"number":"x"}`} {
		var got, want odd
		if err, wantErr := Unmarshal([]byte(doc), &got, roomy), slowly([]byte(doc), &want, roomy); (err == nil) != (wantErr == nil) || got != want {
			t.Errorf("%s: %v, %v, want %v, %v", doc, got, err, want, wantErr)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, doc := range samples {
		f.Add([]byte(doc), 10, 10)
		f.Add([]byte(doc), 4, 2)
	}
	f.Fuzz(func(t *testing.T, doc []byte, depth, fold int) {
		agree(t, doc, Limits{Depth: depth % 20, Items: 100, Values: 1000, Fold: fold % 20})
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	doc := []byte(`{"text":"` + strings.Repeat(`<p class=\"x\">some text</p>`, 500_000) + `"}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Unmarshal(doc, new(everything), roomy); err != nil {
			b.Fatal(err)
		}
	}
}

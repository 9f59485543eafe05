package codec_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
	"github.com/stepledger/stepledger/domain/domaintest"
)

type noted struct {
	N      int             `json:"n"`
	Open   string          `json:"open,omitempty"`
	Text   string          `json:"text,omitzero" sealed:"true"`
	List   []string        `json:"list,omitzero" sealed:"true"`
	Large  []int           `json:"large,omitzero" sealed:"apart"`
	Nested json.RawMessage `json:"nested,omitzero" sealed:"true"`
}

type plain struct {
	N int `json:"n"`
}

var registry = codec.New(map[string]any{"test.noted.v1": noted{}, "test.plain.v1": plain{}})

func encode(t *testing.T, e any, id string) (string, json.RawMessage) {
	t.Helper()
	name, data, err := registry.Encode(e, id, domaintest.Sealer{})
	if err != nil {
		t.Fatal(err)
	}
	return name, data
}

func TestRegistry_RoundTrip(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]any{
		"all fields":         noted{1, "open", "Jas \"x\" \u00e9\n", []string{"a", "b"}, []int{1, 2}, json.RawMessage(`{"k":[1,2]}`)},
		"empty fields":       noted{},
		"large text":         noted{Text: strings.Repeat("Jas lives here. ", 1000)},
		"only a large field": noted{Large: []int{1}},
		"no sealed text":     plain{7},
	} {
		t.Run(name, func(t *testing.T) {
			stored, data := encode(t, e, "id-1")
			back, err := registry.Decode(stored, data, "id-1", domaintest.Sealer{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(e, back); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRegistry_PersonalTextIsNotInClear(t *testing.T) {
	t.Parallel()
	_, data := encode(t, noted{Open: "visible", Text: "Jas", List: []string{"Jas"}}, "id-1")
	if bytes.Contains(data, []byte("Jas")) || !bytes.Contains(data, []byte("visible")) {
		t.Errorf("payload %s", data)
	}
}

func TestRegistry_Glance(t *testing.T) {
	t.Parallel()
	name, data := encode(t, noted{N: 1, Text: "Jas", Large: []int{1, 2, 3}}, "id-1")
	got, err := registry.Glance(name, data, "id-1", domaintest.Sealer{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(noted{N: 1, Text: "Jas"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRegistry_SameEventSameBytes(t *testing.T) {
	t.Parallel()
	e := noted{3, "o", "text", []string{"x"}, []int{4}, nil}
	_, a := encode(t, e, "id-1")
	_, b := encode(t, e, "id-1")
	if !bytes.Equal(a, b) {
		t.Error("encoding twice gave other bytes")
	}
	if _, c := encode(t, e, "id-2"); bytes.Equal(a, c) {
		t.Error("sealed text is not bound to its event")
	}
}

func TestRegistry_ErasedKey(t *testing.T) {
	t.Parallel()
	name, data := encode(t, noted{N: 5, Open: "o", Text: "Jas", List: []string{"x"}}, "id-1")
	got, err := registry.Decode(name, data, "id-1", domaintest.Erased{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(noted{N: 5, Open: "o", Text: domain.Erased}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRegistry_Refuses(t *testing.T) {
	t.Parallel()
	name, data := encode(t, noted{Text: "Jas"}, "id-1")
	var unknown *codec.UnknownError
	if _, err := registry.Decode("test.other.v1", data, "id-1", domaintest.Sealer{}); !errors.As(err, &unknown) {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := registry.Decode(name, data, "id-2", domaintest.Sealer{}); err == nil {
		t.Error("text sealed for another event was opened")
	}
	for _, bad := range []string{``, `[]`, `{"n":"x"}`, `{"sealed":"!"}`, `{"sealed":""}`, `{"apart":"!"}`, `{"apart":7}`} {
		if _, err := registry.Decode(name, []byte(bad), "id-1", domaintest.Sealer{}); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}

type inner struct {
	Text string `json:"text,omitzero" sealed:"true"`
}

func TestNew_RefusesTagsThatWouldNotSeal(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]any{
		"a mistyped tag": struct {
			Text string `json:"text,omitzero" sealed:"yes"`
		}{},
		"no omitzero": struct {
			Text string `json:"text" sealed:"true"`
		}{},
		"no JSON name": struct {
			Text string `sealed:"true"`
		}{},
		"a sealed field within an embedded one": struct{ inner }{},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("it was accepted")
				}
			}()
			codec.New(map[string]any{"test.v1": e})
		})
	}
}

func TestRegistry_RefusesTextThatUnpacksToTooMuch(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	bomb.WriteByte(1)
	w, err := flate.NewWriter(&bomb, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for range 17 << 10 {
		_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<10))
	}
	_ = w.Close()
	sealed, _ := domaintest.Sealer{}.Seal(bomb.Bytes(), []byte("test.noted.v1\x00sealed\x00id-1"))
	data, err := json.Marshal(map[string]any{"sealed": sealed})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Decode("test.noted.v1", data, "id-1", domaintest.Sealer{}); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("17 MiB of text: %v", err)
	}
}

func FuzzRegistry_Decode(f *testing.F) {
	f.Add([]byte(`{"n":1,"text":"x"}`))
	packed := append([]byte("test.noted.v1\x00sealed\x00id|"), 1, 0, 0)
	f.Add([]byte(`{"n":1,"sealed":"` + base64.StdEncoding.EncodeToString(packed) + `"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, errA := registry.Decode("test.noted.v1", data, "id", domaintest.Sealer{})
		b, errB := registry.Decode("test.noted.v1", data, "id", domaintest.Sealer{})
		if (errA == nil) != (errB == nil) || errA == nil && !cmp.Equal(a, b) {
			t.Error("decoding twice gave two results")
		}
	})
}

// A payload is read the same whether its sealed texts stand where Encode puts them or not,
// and a text that looks like one of them is a text.
func TestRegistry_Decode_WhateverTheOrder(t *testing.T) {
	t.Parallel()
	want := noted{1, `"sealed":"x"}`, `,"apart":"AAAA"}`, []string{`{"sealed":"`}, []int{1, 2}, json.RawMessage(`{"apart":"AAAA"}`)}
	name, data := encode(t, want, "id-1")
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]string{{"n", "open", "sealed", "apart"}, {"apart", "sealed", "open", "n"}, {"sealed", "n", "apart", "open"}, {"n", "open", "apart", "sealed"}} {
		var b bytes.Buffer
		for i, m := range order {
			if b.WriteString(", "); i == 0 {
				b.Reset()
				b.WriteString("{ ")
			}
			b.WriteString(`"` + m + `": ` + string(members[m]))
		}
		b.WriteString("}\n")
		for _, payload := range [][]byte{b.Bytes(), data, bytes.ReplaceAll(b.Bytes(), []byte(": "), []byte(":"))} {
			got, err := registry.Decode(name, payload, "id-1", domaintest.Sealer{})
			if err != nil {
				t.Fatalf("%s: %v", payload, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", payload, diff)
			}
			clear, err := registry.Clear(name, payload)
			if diff := cmp.Diff(noted{N: 1, Open: want.Open}, clear); diff != "" || err != nil {
				t.Errorf("in clear (-want +got):\n%s %v", diff, err)
			}
			parts, err := registry.Plain(name, payload, "id-1", domaintest.Sealer{})
			if all := string(bytes.Join(parts, nil)); err != nil || !strings.Contains(all, `"large":[1,2]`) || !strings.Contains(all, `"list":["{`) {
				t.Errorf("plain: %s %v", all, err)
			}
			if parts, err = registry.Plain(name, payload, "id-1", domaintest.Erased{}); err != nil || strings.Contains(string(bytes.Join(parts, nil)), "list") {
				t.Errorf("of what is erased: %s %v", parts, err)
			}
		}
	}
	if _, err := registry.Plain("test.unknown.v1", data, "id-1", domaintest.Sealer{}); err == nil {
		t.Error("an unknown event has a payload")
	}
}

// TestRegistry_PacksAlike: what is packed with tables that have packed something else is
// what fresh ones make of it, since a repeated append has to be the same.
func TestRegistry_PacksAlike(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`{"r":"link","n":"Details of section"},`, 200)
	for n, text := range []string{text, strings.Repeat("Details of section. ", 5000), text[1:], text} {
		_, data := encode(t, noted{Text: text}, "id-1")
		var got struct{ Sealed []byte }
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		w, err := flate.NewWriter(&want, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(plain)
		_ = w.Close()
		if !bytes.HasSuffix(got.Sealed, append([]byte{'|', 1}, want.Bytes()...)) {
			t.Errorf("text %d is packed otherwise after others", n)
		}
	}
}

package verdicts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/cmd/internal/packed"
)

// some are cases with what JSON and lines may stumble over: markup, line ends, long
// documents.
func some() []Recorded {
	body := func(text string) json.RawMessage {
		b, err := json.Marshal(map[string]string{"dom": text})
		if err != nil {
			panic(err)
		}
		return b
	}
	return []Recorded{
		{Name: "save", Kind: "k", Page: "shop", Split: Train, Language: "en", Goal: "Save <it> & go", Action: `click("1")`, Worked: true, Before: body("a"), Request: body("b\nc")},
		{Name: "sell", Kind: "k", Page: "shop", Split: Train, Language: "fr", Goal: "Vendre ça", Thought: "Je vends", Action: `click("2")`, Before: body("a"), Request: body(strings.Repeat("<p>æ</p>", 1<<15))},
	}
}

// kept is a page folder with these cases recorded, and the set it is in.
func kept(t *testing.T, all []Recorded) (string, Page) {
	t.Helper()
	set := folder(t, Train, "shop", oneCase)
	p, err := ReadPage(filepath.Join(set, Train, "shop"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Keep(all); err != nil {
		t.Fatal(err)
	}
	return set, p
}

func fileOf(t *testing.T, p Page) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.Dir, RecordedFile))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestPage_Keep(t *testing.T) {
	t.Parallel()
	t.Run("what is kept is read", func(t *testing.T) {
		t.Parallel()
		for name, all := range map[string][]Recorded{"nothing": nil, "one case": some()[:1], "two cases": some()} {
			_, p := kept(t, all)
			got, err := p.Recorded()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			// Bodies are compacted and compared as kept: byte by byte.
			if !bytes.Equal(linesOf(t, got), linesOf(t, all)) || len(got) != len(all) {
				t.Errorf("%s: %s", name, cmp.Diff(all, got))
			}
		}
	})
	t.Run("the same cases give the same bytes", func(t *testing.T) {
		t.Parallel()
		_, one := kept(t, some())
		_, other := kept(t, some())
		if !bytes.Equal(fileOf(t, one), fileOf(t, other)) {
			t.Error("two files of the same cases differ")
		}
		read, err := one.Recorded()
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Keep(read); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fileOf(t, one), fileOf(t, other)) {
			t.Error("reading and keeping changes the file")
		}
	})
	t.Run("the file is small", func(t *testing.T) {
		t.Parallel()
		_, p := kept(t, some())
		if packed, plain := len(fileOf(t, p)), len(linesOf(t, some())); packed*10 > plain {
			t.Errorf("the file has %d bytes, its lines %d", packed, plain)
		}
	})
}

func linesOf(t *testing.T, all []Recorded) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteLines(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPage_Recorded(t *testing.T) {
	t.Parallel()
	t.Run("a page that was never recorded has nothing", func(t *testing.T) {
		t.Parallel()
		_, p := kept(t, some())
		if err := os.Remove(filepath.Join(p.Dir, RecordedFile)); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Recorded(); err != nil || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
	for name, spoil := range map[string]func([]byte) []byte{
		"a file cut short":            func(b []byte) []byte { return b[:len(b)-9] },
		"a file with another byte":    func(b []byte) []byte { b = slices.Clone(b); b[len(b)/2] ^= 0x55; return b },
		"a file that is not packed":   func([]byte) []byte { return []byte(`{"name":"save"}` + "\n") },
		"packed lines of another use": func([]byte) []byte { return must(packed.Pack([]byte("name,kind\n"))) },
	} {
		t.Run(name+" is refused by name", func(t *testing.T) {
			t.Parallel()
			_, p := kept(t, some())
			if err := os.WriteFile(filepath.Join(p.Dir, RecordedFile), spoil(fileOf(t, p)), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := p.Recorded(); err == nil || !strings.Contains(err.Error(), "train/shop/"+RecordedFile) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

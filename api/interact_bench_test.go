package api

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api/strictjson"
)

// bodyOf is a first request with a page of so many bytes: markup in dom, or a tree.
func bodyOf(b *testing.B, field string, size int) []byte {
	b.Helper()
	const markup = `<li class="item"><a class="link" data-llm-id="%d" href="/section/%[1]d">Détails of section %[1]d</a></li>` + "\n"
	const node = `{"i":"%d","r":"btn","n":"Add to cart","s":"disabled","xy":[%[1]d,20],"box":[1,2,3,4]},`
	var page strings.Builder
	for i := 0; page.Len() < size; i++ {
		if field == "dom" {
			fmt.Fprintf(&page, markup, i)
		} else {
			fmt.Fprintf(&page, node, i)
		}
	}
	value := "[" + strings.TrimSuffix(page.String(), ",") + "]"
	if field == "dom" {
		quoted, err := json.Marshal(page.String())
		if err != nil {
			b.Fatal(err)
		}
		value = string(quoted)
	}
	return []byte(`{"url":"https://a.test/","query":"go","domMode":"` + map[string]string{"dom": "full", "interactiveTree": "semantic_v3"}[field] +
		`","viewport":{"width":1280,"height":720},"` + field + `":` + value + `}`)
}

// BenchmarkReadInteract is what is done with a body once it is there, beside what it
// cannot do without, its hash, and beside checking and decoding in two passes.
func BenchmarkReadInteract(b *testing.B) {
	for _, field := range []string{"dom", "interactiveTree"} {
		for _, size := range []int{200_000, 2_000_000} {
			body := bodyOf(b, field, size)
			for name, read := range map[string]func() error{
				"ours": func() error {
					_, err := ReadInteract(body, "")
					return err
				},
				"hash": func() error {
					_ = sha256.Sum256(body)
					return nil
				},
				"two passes": func() error {
					var into InteractBody
					if err := strictjson.Check(body, documentLimits); err != nil {
						return err
					}
					return json.Unmarshal(body, &into)
				},
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", field, size, name), func(b *testing.B) {
					b.SetBytes(int64(len(body)))
					b.ReportAllocs()
					for b.Loop() {
						if err := read(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

package record

import (
	"testing"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
)

func TestSite_Normal(t *testing.T) {
	t.Parallel()
	for given, test := range map[string]struct{ query, want string }{
		`"url":"http://127.0.0.1:4711/shop/page.html?fault=silent"`:  {"?fault=silent", `"url":"http://shop.test/shop/page.html"`},
		`"url":"http://127.0.0.1:4711/shop/page.html?fault=x#/open"`: {"?fault=x", `"url":"http://shop.test/shop/page.html#/open"`},
		`<form action=\"page.html?fault=k\u0026amp;code=500\">`:      {"?fault=k", `<form action=\"page.html?code=500\">`},
		`page.html?page=2&fault=dead`:                                {"?fault=dead", `page.html?page=2`},
		`page.html?step=2&h=mute&x=1`:                                {"?step=2&h=mute", `page.html?x=1`},
		`page.html?%D8%B9=%D9%83%D8%B0%D8%A8`:                        {"?ع=كذب", `page.html`},
		`<p>It is my fault=yours</p>`:                                {"?fault=yours", `<p>It is my fault=yours</p>`},
		`page.html?fault=deadly`:                                     {"?fault=dead", `page.html?fault=deadly`},
		`to=http%3A%2F%2F127.0.0.1%3A4711%2F`:                        {"", `to=http%3A%2F%2Fshop.test%2F`},
	} {
		s := &site{origin: "http://127.0.0.1:4711", told: told(verdicts.Page{}, verdicts.Case{Query: test.query})}
		if got := s.normal(given); got != test.want {
			t.Errorf("%s became %s, not %s", given, got, test.want)
		}
	}
	if told(verdicts.Page{App: "demoapp"}, verdicts.Case{Query: "?q=amira"}) != nil {
		t.Error("what an app is asked for is taken out of its addresses")
	}
}

package record

import "testing"

func TestSite_normal(t *testing.T) {
	t.Parallel()
	s := &site{origin: "http://127.0.0.1:4711"}
	for given, want := range map[string]string{
		`"url":"http://127.0.0.1:4711/shop/page.html?fault=silent"`:  `"url":"http://shop.test/shop/page.html"`,
		`"url":"http://127.0.0.1:4711/shop/page.html?fault=x#/open"`: `"url":"http://shop.test/shop/page.html#/open"`,
		`<form action=\"page.html?fault=k\u0026amp;code=500\">`:      `<form action=\"page.html?code=500\">`,
		`page.html?page=2&fault=dead`:                                `page.html?page=2`,
		`<p>It is my fault=yours</p>`:                                `<p>It is my fault=yours</p>`,
	} {
		if got := s.normal(given); got != want {
			t.Errorf("%s became %s, not %s", given, got, want)
		}
	}
}

package weburl_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/weburl"
)

func TestHost(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"App.Acme.COM":            "app.acme.com",
		"acme.com.":               "acme.com",
		"xn--bcher-kva.example":   "bücher.example",
		"XN--BCHER-KVA.example":   "bücher.example",
		"BÜCHER.example":          "bücher.example",
		"shop.xn--mnchen-3ya.de.": "shop.münchen.de",
		"xn--wgv71a119e.jp":       "日本語.jp",
		"xn--e1afmkfd.xn--p1ai":   "пример.рф",
		"xn--":                    "",
		"xn--z":                   "xn--z", // breaks off
		"xn--é":                   "xn--é",
		"xn--99999999":            "xn--99999999", // past the last code
		"127.0.0.1":               "127.0.0.1",
		"::1":                     "::1",
		"":                        "",
	} {
		if got := weburl.Host(name); got != want {
			t.Errorf("Host(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, name := range []string{"xn--bcher-kva.example", "xn--wgv71a119e", "xn--99999999", "a.b.c."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		once := weburl.Host(name)
		if len(once) > 4*len(name)+4 {
			t.Errorf("%q became %d bytes", name, len(once))
		}
	})
}

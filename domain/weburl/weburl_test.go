package weburl

import (
	"net/url"
	"testing"
)

func TestParse_ReadsWhatBrowsersShow(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct{ host, path, query, fragment string }{
		"https://shop.example/sale/50%off":             {"shop.example", "/sale/50%off", "", ""},
		"https://shop.example/50%":                     {"shop.example", "/50%", "", ""},
		"https://shop.example/a%2":                     {"shop.example", "/a%2", "", ""},
		"https://shop.example/a%20b%zz":                {"shop.example", "/a b%zz", "", ""},
		"https://shop.example/sale?q=50%off&r=a%20b":   {"shop.example", "/sale", "q=50%off&r=a%20b", ""},
		"https://shop.example/#50%off":                 {"shop.example", "/", "", "50%off"},
		"https://shop.example/a b?c=d e":               {"shop.example", "/a b", "c=d e", ""},
		"https://shop.example/a|b?c=[1]|{2}^`":         {"shop.example", "/a|b", "c=[1]|{2}^`", ""},
		"https://shop.example/[x]":                     {"shop.example", "/[x]", "", ""},
		"https://müller.example/straße":                {"müller.example", "/straße", "", ""},
		"https://xn--mller-kva.example/":               {"xn--mller-kva.example", "/", "", ""},
		"https://例え.example/検索?q=日本":                   {"例え.example", "/検索", "q=日本", ""},
		"  https://shop.example/x\n":                   {"shop.example", "/x", "", ""},
		"https://shop.example/long\n  er":              {"shop.example", "/long  er", "", ""},
		`https:\\shop.example\x?y=\z`:                  {"shop.example", "/x", `y=\z`, ""},
		"https://us er:p|w%@shop.example/":             {"shop.example", "/", "", ""},
		"https://shop.example/a\x01b":                  {"shop.example", "/a\x01b", "", ""},
		"http://[::1]:3000/50%":                        {"[::1]:3000", "/50%", "", ""},
		"https://shop.example:8443/50%off":             {"shop.example:8443", "/50%off", "", ""},
		"/sale/50%off":                                 {"", "/sale/50%off", "", ""},
		"//cdn.example/50%":                            {"cdn.example", "/50%", "", ""},
		"":                                             {"", "", "", ""},
		"https://shop.example/?redirect=https://a/%zz": {"shop.example", "/", "redirect=https://a/%zz", ""},
	} {
		u, err := Parse(raw)
		if err != nil {
			t.Errorf("%q: %v", raw, err)
			continue
		}
		query, fragment := u.RawQuery, u.Fragment
		if un, err := url.PathUnescape(query); err == nil && query != want.query {
			query = un
		}
		if u.Host != want.host || u.Path != want.path || query != want.query || fragment != want.fragment {
			t.Errorf("%q: host %q path %q query %q fragment %q", raw, u.Host, u.Path, u.RawQuery, fragment)
		}
	}
}

func TestParse_RefusesWhatBrowsersRefuse(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"https://sh op.example/", "https://shop.example:http/", "https://[::1/", "https://%zz/", "http://a\x00b/", "::"} {
		if u, err := Parse(raw); err == nil {
			t.Errorf("%q was read as %q", raw, u)
		}
	}
}

func TestParse_ChangesNothingOfWhatIsWellFormed(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"https://shop.example/a%20b?c=%5Bd%5D#e%2F", "mailto:jo@shop.example?subject=50%", "about:blank", "javascript:void(0)", "a/b?c#d"} {
		want, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(raw); err != nil || got.String() != want.String() {
			t.Errorf("%q: %v, %v", raw, got, err)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	base, err := Parse("https://shop.example/sale/50%off")
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"60%off": "https://shop.example/sale/60%25off", "/a": "https://shop.example/a", `\\evil.example\x`: "https://evil.example/x",
		"?q=1%": "https://shop.example/sale/50%25off?q=1%", "https://other.example/": "https://other.example/",
	} {
		if got, err := Resolve(base, ref); err != nil || got.String() != want {
			t.Errorf("%q: %v, %v; want %s", ref, got, err, want)
		}
	}
}

func TestIsWebAndIsTab(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct{ web, tab bool }{
		"https://shop.example/50%off": {true, true}, "HTTP://SHOP.EXAMPLE": {true, true}, "https://localhost:3000/": {true, true},
		"chrome://newtab/": {false, true}, "about:blank": {false, true}, "chrome-extension://abc/x.html": {false, true}, "file:///home/a.pdf": {false, true},
		"https://": {false, false}, "https:///x": {false, false}, "https://:80/": {false, false}, "": {false, false}, "shop.example": {false, false},
		"not a url": {false, false}, "/path": {false, false}, "localhost:3000": {false, false}, "javascript:alert(1)": {false, false}, "mailto:a@b": {false, false},
		"about:": {false, false}, "://x": {false, false}, "https://sh op.example/": {false, false}, "chrome:": {false, false},
		"https://shop.example/\x00": {false, false}, "https://shop.example/a\nb": {false, false}, " https://shop.example/\n": {true, true},
	} {
		if got := IsWeb(raw); got != want.web {
			t.Errorf("IsWeb(%q) = %t", raw, got)
		}
		if got := IsTab(raw); got != want.tab {
			t.Errorf("IsTab(%q) = %t", raw, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, raw := range []string{"https://shop.example/50%off", `\\a\b`, "a:b", "https://u@h/%", "#%", "?%\x7f"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if u, err := Parse(raw); err == nil {
			_, _ = u.String(), IsTab(raw)
		}
	})
}

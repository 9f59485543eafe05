package crawl

import (
	"net/url"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	const id = "0123456789abcdef0123"
	for raw, want := range map[string]string{
		"http://site.example":                                "http://site.example/",
		"HTTP://Site.Example.:80/A":                          "http://site.example/A",
		"https://site.example:443/":                          "https://site.example/",
		"https://site.example:80/":                           "https://site.example:80/",
		"http://münchen.example/":                            "http://xn--mnchen-3ya.example/",
		"http://a_b.example/":                                "http://a_b.example/",
		"http://[::1]:8080/x":                                "http://[::1]:8080/x",
		"http://site.example/a/./b/../c":                     "http://site.example/a/c",
		"http://site.example/../../a":                        "http://site.example/a",
		"http://site.example/a//b":                           "http://site.example/a//b",
		"http://site.example/a#part":                         "http://site.example/a",
		"http://site.example/#!/route":                       "http://site.example/",
		"http://site.example/%7euser/%c3%bc/ü/%2f/a b":       "http://site.example/~user/%C3%BC/%C3%BC/%2F/a%20b",
		"http://site.example/50%off":                         "http://site.example/50%25off",
		"http://site.example/?":                              "http://site.example/",
		"http://site.example/?b=2&a=1&&b=1":                  "http://site.example/?a=1&b=2&b=1",
		"http://site.example/?a":                             "http://site.example/?a",
		"http://site.example/?q=a+b%20c&r=\"x|y\"":           "http://site.example/?q=a+b%20c&r=%22x%7Cy%22",
		"http://site.example/?utm_source=x&UTM_Medium=y&a=1": "http://site.example/?a=1",
		"http://site.example/?gclid=1&fbclid=2&PHPSESSID=3":  "http://site.example/",
		"http://site.example/a;jsessionid=" + id + "?x=1":    "http://site.example/a?x=1",
		"http://site.example/a;JSESSIONID=1/b":               "http://site.example/a/b",
		"http://site.example/a;v=1":                          "http://site.example/a;v=1",
		"http://site.example/?sid=" + id:                     "http://site.example/",
		"http://site.example/?sid=12":                        "http://site.example/?sid=12",
		"http://site.example/?utmost=1&session=2":            "http://site.example/?session=2&utmost=1",
		"http://site.example/index.html":                     "http://site.example/index.html",
		"http://site.example\\a\\b":                          "http://site.example/a/b",
		"  http://site.example/a\n/b ":                       "http://site.example/a/b",
		"../c":                                               "https://base.example/a/c",
		"//other.example/x":                                  "https://other.example/x",
		"?p=2":                                               "https://base.example/a/b/?p=2",
		"":                                                   "https://base.example/a/b/",
		"/x?y#z":                                             "https://base.example/x?y",
		"http://site.example/" + strings.Repeat("a", 1_900):  "http://site.example/" + strings.Repeat("a", 1_900),
	} {
		if got, err := Normalize(raw, "https://base.example/a/b/"); err != nil || got != want {
			t.Errorf("%.80q is %.80q, want %.80q: %v", raw, got, want, err)
		}
	}
	for _, raw := range []string{
		"mailto:a@b.example", "javascript:void(0)", "data:text/html,x", "ftp://site.example/", "http://", "http://user:word@site.example/",
		"http://site.example/" + strings.Repeat("a", MaxURL), "http://site.example/?" + strings.Repeat("ü", MaxURL/3), "http://./", "http://site.example:x/",
	} {
		if got, err := Normalize(raw, "https://base.example/a/b/"); CodeOf(err) != BadURL {
			t.Errorf("%.50q is %.50q, %v", raw, got, err)
		}
	}
	if got, err := Normalize("/a", ""); CodeOf(err) != BadURL {
		t.Errorf("a relative address without a base is %q, %v", got, err)
	}
}

func FuzzNormalize(f *testing.F) {
	for _, raw := range []string{
		"http://Site.Example:80/%7e/../a b?b=1&a=%zz#x", "//x/%2f%", "?q=%25%7c", "http://[::1%25eth0]/", "http://ü.example/;jsessionid=1", "http://a/;sid=;sid=x",
	} {
		f.Add(raw, "https://base.example/a/")
	}
	f.Fuzz(func(t *testing.T, raw, base string) {
		once, err := Normalize(raw, base)
		if err != nil {
			if CodeOf(err) != BadURL {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if twice, err := Normalize(once, ""); err != nil || twice != once {
			t.Fatalf("%q is %q, and that is %q: %v", raw, once, twice, err)
		}
		u, err := url.Parse(once)
		if err != nil || len(once) > MaxURL || u.Fragment != "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			t.Fatalf("%q is %q: %v", raw, once, err)
		}
		if strings.ContainsFunc(once, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Fatalf("%q is %q", raw, once)
		}
		Trap(once)
		s, err := SameHost(once)
		if err != nil || !s.In(once) {
			t.Fatalf("%q is not in its own scope %+v: %v", once, s, err)
		}
	})
}

func TestTrap(t *testing.T) {
	t.Parallel()
	for address, trap := range map[string]bool{
		"http://site.example/":              false,
		"http://site.example/a/a/a":         false,
		"http://site.example/a/a/a/a":       true,
		"http://site.example/a/b/a/c/a/d/a": true,
		"http://site.example/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20":    false,
		"http://site.example/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21": true,
		"http://site.example/" + strings.Repeat("a", MaxURL):                        true,
		"http://site.example/a?" + strings.Repeat("b/", 100):                        false,
		"http://%zz/": true,
	} {
		if got := Trap(address); (got != "") != trap {
			t.Errorf("%.80s: %q", address, got)
		}
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scope   Scope
		in, out []string
	}{
		{
			Scope{Host: "site.example"},
			[]string{"http://site.example", "https://site.example/a", "https://WWW.site.example/a", "http://site.example.:80/"},
			[]string{"http://a.site.example/", "http://site.example.evil.example/", "http://evilsite.example/", "http://site.example:8080/", "ftp://site.example/", "/a", ""},
		},
		{
			Scope{Host: "www.site.example", Subdomains: true},
			[]string{"http://site.example/", "http://www.site.example/", "http://a.b.site.example/"},
			[]string{"http://evilsite.example/", "http://example/"},
		},
		{
			Scope{Host: "site.example:8080", Prefix: "/docs/"},
			[]string{"http://site.example:8080/docs/", "http://site.example:8080/docs/a"},
			[]string{"http://site.example:8080/docs", "http://site.example:8080/", "http://site.example:8080/docs-old/", "http://site.example/docs/"},
		},
		{Scope{Host: "site.example", Prefix: "/docs"}, []string{"http://site.example/docs", "http://site.example/docs/a"}, []string{"http://site.example/docs-old", "http://site.example/"}},
		{Scope{Host: "site.example", Prefix: "/"}, []string{"http://site.example/", "http://site.example", "http://site.example/a"}, nil},
		{Scope{Host: "www.com", Subdomains: true}, []string{"http://www.com/", "http://a.www.com/"}, []string{"http://com/", "http://site.com/"}},
		{Scope{}, nil, []string{"http://site.example/", "http:///"}},
	} {
		for _, at := range c.in {
			if !c.scope.In(at) {
				t.Errorf("%s is not in %+v", at, c.scope)
			}
		}
		for _, at := range c.out {
			if c.scope.In(at) {
				t.Errorf("%s is in %+v", at, c.scope)
			}
		}
	}
	if s, err := SameHost("https://WWW.Site.Example:8443/docs/a"); err != nil || s != (Scope{Host: "site.example:8443"}) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := SameHost("site.example"); CodeOf(err) != BadURL {
		t.Error(err)
	}
}

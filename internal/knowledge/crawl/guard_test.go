package crawl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/knowledge/crawl/crawltest"
)

const public = "93.184.216.34"

// internet is a made-up one: names with addresses, and servers at addresses. It keeps
// what was dialled.
type internet struct {
	mu      sync.Mutex
	names   map[string][]string         // host: address; of several look-ups one each, "a|b" both at once
	servers map[string]*httptest.Server // by address
	dialled []string
}

func (n *internet) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answers := n.names[host]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(answers) > 1 {
		n.names[host] = answers[1:]
	}
	var found []netip.Addr
	for a := range strings.SplitSeq(answers[0], "|") {
		found = append(found, netip.MustParseAddr(a))
	}
	return found, nil
}

func (n *internet) dial(ctx context.Context, network, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, address)
	host, _, _ := net.SplitHostPort(address)
	server := n.servers[host]
	n.mu.Unlock()
	if server == nil {
		return nil, errors.New("connection refused")
	}
	var d net.Dialer
	return d.DialContext(ctx, network, server.Listener.Addr().String())
}

func (n *internet) hits(address string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	hits := 0
	for _, d := range n.dialled {
		if host, _, _ := net.SplitHostPort(d); host == address {
			hits++
		}
	}
	return hits
}

func (n *internet) fetcher(o Options) *Fetcher {
	o.Resolver, o.Clock = n, &crawltest.Clock{}
	return newFetcher(o.withDefaults(), n.dial)
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, text)
	}
}

func wantCode(t *testing.T, err error, code Code) {
	t.Helper()
	_ = failure(t, err, code)
}

// failure is an error that has to have a code.
func failure(t *testing.T, err error, code Code) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("the error is %v, want %s", err, code)
	}
	return e
}

// No form of an address that is not public is dialled, whether it stands in the URL or a
// name has it.
func TestGet_RefusesAddressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "169.254.0.1", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "192.0.2.1",
		"198.18.0.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1",
		"64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::1", "2001::1", "2001:db8::1",
		"fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "100::1", "3fff::1", "5f00::1",
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			n := &internet{names: map[string][]string{"name.example": {address}}}
			f := n.fetcher(Options{})
			literal := "http://" + address + "/"
			if strings.Contains(address, ":") {
				literal = "http://[" + address + "]/"
			}
			for _, at := range []string{literal, "http://name.example/", "https://name.example/"} {
				_, err := f.Get(t.Context(), Request{URL: at})
				if e := failure(t, err, RefusedAddress); e.Temporary {
					t.Errorf("%s is to be tried again", at)
				}
			}
			if len(n.dialled) > 0 {
				t.Errorf("dialled: %v", n.dialled)
			}
		})
	}
}

// Ways in which a number is an IPv4 address to some resolvers.
func TestGet_RefusesNumbersThatResolveInside(t *testing.T) {
	t.Parallel()
	n := &internet{names: map[string][]string{}}
	f := n.fetcher(Options{})
	for _, host := range []string{"2130706433", "0x7f000001", "017700000001", "127.1", "localhost", "localhost."} {
		n.names[strings.TrimSuffix(host, ".")] = []string{"127.0.0.1"}
		_, err := f.Get(t.Context(), Request{URL: "http://" + host + "/"})
		wantCode(t, err, RefusedAddress)
	}
	for _, at := range []string{"http://[fe80::1%25eth0]/", "http://[::1%25lo]/"} {
		_, err := f.Get(t.Context(), Request{URL: at})
		wantCode(t, err, BadURL)
	}
	if len(n.dialled) > 0 {
		t.Errorf("dialled: %v", n.dialled)
	}
}

func TestGet_FetchesFromPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{public, "::ffff:" + public, "2606:2800:220:1::1", "10.0.0.1|" + public} {
		n := &internet{
			names:   map[string][]string{"site.example": {address}},
			servers: map[string]*httptest.Server{public: serve(t, says("hello")), "2606:2800:220:1::1": serve(t, says("hello"))},
		}
		got, err := n.fetcher(Options{}).Get(t.Context(), Request{URL: "http://site.example/"})
		if err != nil || string(got.Body) != "hello" {
			t.Errorf("%s: %q, %v", address, got.Body, err)
		}
		if n.hits("10.0.0.1") > 0 {
			t.Errorf("%s: dialled %v", address, n.dialled)
		}
	}
}

// A name that was public a moment ago is looked up and checked for every request.
func TestGet_ANameThatTurnsInside(t *testing.T) {
	t.Parallel()
	n := &internet{
		names:   map[string][]string{"site.example": {public, public, "127.0.0.1"}},
		servers: map[string]*httptest.Server{public: serve(t, says("hello")), "127.0.0.1": serve(t, says("inside"))},
	}
	f := n.fetcher(Options{})
	// robots.txt and the page.
	if _, err := f.Get(t.Context(), Request{URL: "http://site.example/"}); err != nil {
		t.Fatal(err)
	}
	_, err := f.Get(t.Context(), Request{URL: "http://site.example/"})
	wantCode(t, err, RefusedAddress)
	if n.hits("127.0.0.1") > 0 {
		t.Errorf("dialled: %v", n.dialled)
	}
}

// An allowed address is fetched from, unless the internet leads there.
func TestGet_AllowedAddresses(t *testing.T) {
	t.Parallel()
	const inside, other = "10.1.0.5", "10.1.0.6"
	to := func(at string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, at, http.StatusFound) }
	}
	n := &internet{
		names: map[string][]string{
			"site.example": {public}, "robots.example": {public}, "wiki.example": {inside}, "other.example": {other}, "further.example": {"10.2.0.1"},
		},
		servers: map[string]*httptest.Server{
			public: serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/robots.txt" && r.Host == "site.example":
					fmt.Fprint(w, "Sitemap: http://wiki.example/map.txt")
				case r.URL.Path == "/public":
					says("hello")(w, r)
				default: // also robots.txt of robots.example
					to("http://wiki.example/")(w, r)
				}
			}),
			inside: serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/moved":
					to("http://other.example/")(w, r)
				case "/out":
					to("http://site.example/public")(w, r)
				case "/out-and-in":
					to("http://site.example/in")(w, r)
				case "/further":
					to("http://further.example/")(w, r)
				default:
					says("inside")(w, r)
				}
			}),
			other: serve(t, says("inside too")),
		},
	}
	o := Options{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	for at, want := range map[string]string{
		"http://wiki.example/": "inside", "http://wiki.example/moved": "inside too", "http://wiki.example/out": "hello",
	} {
		if got, err := n.fetcher(o).Get(t.Context(), Request{URL: at}); err != nil || string(got.Body) != want {
			t.Errorf("%s: %q, %v", at, got.Body, err)
		}
	}
	before := n.hits(inside)
	_, err := n.fetcher(o).Get(t.Context(), Request{URL: "http://site.example/in"})
	wantCode(t, err, RefusedAddress)
	_, err = n.fetcher(o).Get(t.Context(), Request{URL: "http://robots.example/public"})
	wantCode(t, err, Robots)
	if _, err := n.fetcher(o).Sitemaps(t.Context(), "http://site.example/", func(Entry) error { return nil }); err == nil {
		t.Error("a sitemap of the internet's was read inside")
	}
	if n.hits(inside) != before {
		t.Error("the internet led inside")
	}
	for _, at := range []string{"http://wiki.example/out-and-in", "http://wiki.example/further"} {
		_, err := n.fetcher(o).Get(t.Context(), Request{URL: at})
		wantCode(t, err, RefusedAddress)
	}
}

func TestGet_UsesNoProxyAndSendsNothingOfOurs(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9")
	t.Setenv("http_proxy", "http://127.0.0.1:9")
	var asked http.Header
	n := &internet{
		names: map[string][]string{"site.example": {public}},
		servers: map[string]*httptest.Server{public: serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked = r.Header
			w.Header().Set("Set-Cookie", "id=1")
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/next", http.StatusFound)
			}
		})},
	}
	f := n.fetcher(Options{Version: "1.2", About: "https://about.example/"})
	if _, err := f.Get(t.Context(), Request{URL: "http://site.example/"}); err != nil {
		t.Fatal(err)
	}
	if got := asked.Get("User-Agent"); got != "Stepledger/1.2 (+https://about.example/)" {
		t.Errorf("User-Agent: %s", got)
	}
	for _, name := range []string{"Cookie", "Referer", "Authorization"} {
		if got := asked.Get(name); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// localOptions are those by which a site of crawltest is fetched.
func localOptions(site *crawltest.Site, clock *crawltest.Clock) Options {
	return Options{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Ports: []uint16{site.Port()},
		Clock: clock, Timeout: time.Minute, MaxBytes: 2 << 20,
	}
}

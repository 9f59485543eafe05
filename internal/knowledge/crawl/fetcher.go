package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds that are not options.
const (
	maxRedirects       = 10
	maxRobotsRedirects = 5 // RFC 9309, section 2.3.1.2
	maxHeader          = 256 << 10
	dialTimeout        = 10 * time.Second
	// busyPause is how long a host is left alone that said it is busy and not how long.
	busyPause = time.Minute
	// maxBusy bounds how long a host may ask to be left alone.
	maxBusy = 24 * time.Hour
)

// Options are those of a Fetcher; the zero value of each is its default.
type Options struct {
	// Version and About are in the User-Agent: Stepledger/<Version> (+<About>), About
	// being an address where operators of sites read what this is.
	Version, About string
	// Ports that may be asked; 80 and 443.
	Ports []uint16
	// Allow has addresses that are fetched from though they are not public: an intranet,
	// a test. They are allowed to every request, so whoever may add a source can read
	// them; the one exception is a redirect that comes from a public address, which is
	// refused. None.
	Allow []netip.Prefix
	// Pause is the least time between the end of a request to a host and the beginning
	// of the next; 1 s, negative for none. A Crawl-delay in robots.txt makes it longer,
	// by no more than MaxDelay; 30 s.
	Pause, MaxDelay time.Duration
	// MaxWait is how long Get waits for a host that asked to be left alone; beyond that
	// it returns a Busy error at once. 30 s.
	MaxWait time.Duration
	// MaxBytes bounds a body, after decompression; 20 MB.
	MaxBytes int64
	// Timeout bounds each request from the connection to the last byte of its body; 60 s.
	// A redirect begins a new one, and waiting out of politeness does not count.
	Timeout time.Duration
	// Resolver is the system's.
	Resolver Resolver
	// Clock is the system's.
	Clock Clock
}

func (o Options) withDefaults() Options {
	o.Version = cmp.Or(o.Version, "0")
	o.About = cmp.Or(o.About, "https://github.com/stepledger/stepledger")
	if len(o.Ports) == 0 {
		o.Ports = []uint16{80, 443}
	}
	o.Pause = max(cmp.Or(o.Pause, time.Second), 0)
	o.MaxDelay = cmp.Or(o.MaxDelay, 30*time.Second)
	o.MaxWait = cmp.Or(o.MaxWait, 30*time.Second)
	o.MaxBytes = cmp.Or(o.MaxBytes, 20<<20)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	return o
}

// Fetcher fetches. It is safe for concurrent use; one serves all sources of a process,
// since politeness is towards hosts.
type Fetcher struct {
	o      Options
	agent  string
	http   http.RoundTripper
	gates  gates
	robots robotsCache
}

// New returns a Fetcher.
func New(o Options) *Fetcher {
	o = o.withDefaults()
	d := &net.Dialer{Timeout: dialTimeout, KeepAlive: -1}
	return newFetcher(o, d.DialContext)
}

func newFetcher(o Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) *Fetcher {
	d := &dialer{guard: newGuard(o.Allow), resolve: o.Resolver, dial: dial}
	return &Fetcher{
		o:     o,
		agent: fmt.Sprintf("%s/%s (+%s)", Token, o.Version, o.About),
		http: &http.Transport{
			DialContext: d.DialContext,
			// Every request dials, so that every request is checked.
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: maxHeader,
			TLSHandshakeTimeout:    dialTimeout,
		},
		gates:  gates{clock: o.Clock, maxWait: o.MaxWait, byHost: map[string]*gate{}},
		robots: robotsCache{clock: o.Clock, byOrigin: map[string]*robotsEntry{}},
	}
}

// Request is for one page.
type Request struct {
	URL string
	// ETag and LastModified are those of the Response that the caller has, as they were
	// there; with one of them the answer may be that nothing has changed.
	ETag, LastModified string
	// MaxBytes bounds the body, 0 by the Fetcher's option.
	MaxBytes int64
}

// Response is a page as it was fetched.
type Response struct {
	// URL is where it was in the end, not normalized; Redirects are the addresses before,
	// the requested one first, none without a redirect.
	URL       string
	Redirects []string
	Status    int // 200 or another 2xx, or 304
	// NotModified says that the caller's copy is the page; there is no body.
	NotModified bool
	// MediaType is in lower case without parameters, "" if none was named; Charset is
	// its parameter. Neither says what the body really is.
	MediaType, Charset string
	ETag, LastModified string
	Body               []byte
	FetchedAt          time.Time
	// NoIndex and NoFollow are what X-Robots-Tag asks of us.
	NoIndex, NoFollow bool

	public bool // a public address was among those asked
}

// kind is what requests for pages, sitemaps and robots.txt differ in.
type kind struct {
	robots    bool // robots.txt is asked first
	redirects int
	maxBytes  int64
	cut       bool // what is over maxBytes is left out, and is no error
	anyType   bool
}

// Get fetches one page: it waits for its turn at the host, asks robots.txt, and follows
// redirects. It returns an *Error, or the context's error.
func (f *Fetcher) Get(ctx context.Context, r Request) (Response, error) {
	return f.chain(ctx, r, kind{robots: true, redirects: maxRedirects, maxBytes: cmp.Or(r.MaxBytes, f.o.MaxBytes)}, false)
}

// chain follows redirects. fromPublic says that a public address led to the first.
func (f *Fetcher) chain(ctx context.Context, r Request, k kind, fromPublic bool) (Response, error) {
	at, err := f.target(r.URL)
	if err != nil {
		return Response{}, err
	}
	var before []string
	for {
		pause := f.o.Pause
		if k.robots {
			if pause, err = f.permit(ctx, at, fromPublic); err != nil {
				return Response{}, err
			}
		}
		e := exchange{f: f, at: at, request: r, kind: k, hop: &hop{fromPublic: fromPublic}}
		got, next, err := e.run(ctx, pause)
		if err != nil {
			return Response{}, err
		}
		fromPublic = fromPublic || e.hop.atPublic.Load()
		if next == "" {
			got.Redirects, got.public = before, fromPublic
			return got, nil
		}
		before = append(before, at.String())
		if len(before) > k.redirects {
			return Response{}, failed(TooManyRedirects, at.String(), "more than %d redirects", k.redirects)
		}
		if at, err = f.target(next); err != nil {
			return Response{}, err
		}
		if slices.Contains(before, at.String()) {
			return Response{}, failed(TooManyRedirects, at.String(), "the redirects go round in circles")
		}
	}
}

// target is an address that may be asked, as far as can be seen by itself.
func (f *Fetcher) target(raw string) (*url.URL, error) {
	u, err := webAddress(raw, "")
	if err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil || !slices.Contains(f.o.Ports, uint16(port)) {
		return nil, failed(BadURL, raw, "port %s is not one that is asked", portOf(u))
	}
	return u, nil
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// mediaType reads a Content-Type, also one that is not quite right.
func mediaType(header string) (media, charset string) {
	media, params, err := mime.ParseMediaType(header)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		media, _, _ = strings.Cut(header, ";")
		return strings.ToLower(strings.TrimSpace(media)), ""
	}
	return media, strings.ToLower(params["charset"])
}

// robotsTag reads X-Robots-Tag: rules for everybody, or for a crawler named before a
// colon.
func robotsTag(headers []string) (noIndex, noFollow bool) {
	for _, header := range headers {
		ours := true
		for part := range strings.SplitSeq(header, ",") {
			name, rule, named := strings.Cut(part, ":")
			switch name = strings.TrimSpace(name); {
			case !named:
				rule = name
			case name != "*" && productToken(name) != name, strings.EqualFold(name, "unavailable_after"), strings.HasPrefix(strings.ToLower(name), "max-"):
				continue // a rule with a value, or a part of a date
			default:
				ours = strings.EqualFold(name, Token) || name == "*"
			}
			if ours {
				i, f := robotsDirective(rule)
				noIndex, noFollow = noIndex || i, noFollow || f
			}
		}
	}
	return noIndex, noFollow
}

func robotsDirective(rule string) (noIndex, noFollow bool) {
	switch strings.ToLower(strings.TrimSpace(rule)) {
	case "noindex":
		return true, false
	case "nofollow":
		return false, true
	case "none":
		return true, true
	}
	return false, false
}

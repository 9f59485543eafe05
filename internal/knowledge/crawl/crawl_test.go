package crawl

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/knowledge/crawl/crawltest"
)

// A spider as small as can be comes to every page there is a link to, and to an end.
func TestCrawl(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{})
	scope, err := SameHost(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	found := spider(t, f, scope, site.URL, 2_000)
	for _, want := range append(site.Linked(), site.URL+crawltest.FoundInNested, site.URL+crawltest.Session, site.URL+crawltest.Copy) {
		if code, ok := found[want]; !ok || code != "" {
			t.Errorf("%s: found %t, %s", want, ok, code)
		}
	}
	if len(found) > 600 {
		t.Errorf("%d addresses, of a site of %d pages", len(found), len(site.Linked()))
	}
	for path, code := range map[string]Code{
		crawltest.Disallowed: Robots, crawltest.Huge: TooLarge, crawltest.RealPicture: UnsupportedType,
		crawltest.Round: TooManyRedirects, crawltest.Chain: TooManyRedirects, "/refused/metadata": RefusedAddress,
	} {
		if got := found[site.URL+path]; got != code {
			t.Errorf("%s is %q, want %q", path, got, code)
		}
	}
	if site.Requests(crawltest.Disallowed) > 0 || site.MostAtOnce() != 1 || site.LeastPause() < time.Second {
		t.Errorf("disallowed %d, at a time %d, the least pause %s", site.Requests(crawltest.Disallowed), site.MostAtOnce(), site.LeastPause())
	}
}

func TestCrawl_ACalendarEndsAtALimit(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{Pages: 10, Calendar: true})
	scope, err := SameHost(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	if found := spider(t, f, scope, site.URL, 100); len(found) != 100 {
		t.Errorf("%d addresses", len(found))
	}
}

// A second visit to every page finds what changed, what is gone, and is told of the rest
// that it has not changed.
func TestCrawl_AgainAfterChanges(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{})
	before := map[string]Response{}
	for _, at := range site.Listed() {
		got, err := f.Get(t.Context(), Request{URL: at})
		if err != nil {
			t.Fatal(err)
		}
		before[at] = got
	}
	changes := site.Change()
	var changed, gone []string
	for at, had := range before {
		got, err := f.Get(t.Context(), Request{URL: at, ETag: had.ETag, LastModified: had.LastModified})
		switch {
		case CodeOf(err) == NotFound:
			gone = append(gone, at)
		case err != nil:
			t.Error(err)
		case !got.NotModified:
			changed = append(changed, at)
		}
	}
	for what, pair := range map[string][2][]string{"changed": {changed, changes.Changed}, "gone": {gone, changes.Gone}} {
		slices.Sort(pair[0])
		slices.Sort(pair[1])
		if len(pair[0]) == 0 || !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: %d, want %d", what, len(pair[0]), len(pair[1]))
		}
	}
	scope, err := SameHost(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	found := spider(t, f, scope, site.URL, 2_000)
	for _, at := range changes.New {
		if code, ok := found[at]; !ok || code != "" {
			t.Errorf("the new page %s was not found", at)
		}
	}
	for _, at := range changes.Gone {
		if _, ok := found[at]; ok {
			t.Errorf("something links to %s, which is gone", at)
		}
	}
}

func isTemporary(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Temporary
}

// spider returns the code of each address it came to, "" of a page. What may go better
// later is tried three times.
func spider(t *testing.T, f *Fetcher, scope Scope, start string, most int) map[string]Code {
	t.Helper()
	first, err := Normalize(start, "")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Code{}
	for queue := []string{first}; len(queue) > 0 && len(found) < most; queue = queue[1:] {
		at := queue[0]
		if _, known := found[at]; known || !scope.In(at) || Trap(at) != "" {
			continue
		}
		got, err := f.Get(t.Context(), Request{URL: at})
		for tries := 1; tries < 3 && isTemporary(err); tries++ {
			got, err = f.Get(t.Context(), Request{URL: at})
		}
		found[at] = CodeOf(err)
		if err == nil && !got.NoFollow {
			queue = append(queue, Links(got.Body, got.Charset, got.URL).Links...)
		}
	}
	return found
}

func TestSitemaps_OfTheSite(t *testing.T) {
	t.Parallel()
	site, _, f := newSite(t, crawltest.Options{})
	var found []string
	report, err := f.Sitemaps(t.Context(), site.URL, func(e Entry) error {
		if e.LastMod.IsZero() && e.URL != site.URL+crawltest.Disallowed {
			t.Errorf("%s has no date", e.URL)
		}
		found = append(found, e.URL)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := append(site.Listed(), site.URL+crawltest.Disallowed)
	slices.Sort(want)
	slices.Sort(found)
	if !slices.Equal(found, want) {
		t.Errorf("%d entries, want %d", len(found), len(want))
	}
	// The index, two files; other hosts' pages; the file that is lost.
	if report.Files != 3 || report.Entries != len(want) || report.LeftOut != 2 || len(report.Problems) != 1 || report.Truncated {
		t.Errorf("%+v", report)
	}
}

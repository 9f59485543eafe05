package crawl

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"
)

const (
	robotsLife = time.Hour
	// robotsRetry is how soon a robots.txt is asked for again that could not be read.
	robotsRetry = 5 * time.Minute
	maxOrigins  = 10_000
)

// robotsCache remembers the robots.txt of origins.
type robotsCache struct {
	clock    Clock
	mu       sync.Mutex
	byOrigin map[string]*robotsEntry
}

// robotsEntry is the robots.txt of one origin. Its place is held by whoever reads or
// fetches it, so that it is fetched once however many ask.
type robotsEntry struct {
	place chan struct{}
	until time.Time
	file  robotsFile
	down  *Error // why it could not be read
}

func (c *robotsCache) entry(origin string) *robotsEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byOrigin[origin]
	if e == nil {
		// Which one goes does not matter: it is fetched again.
		for old := range c.byOrigin {
			if len(c.byOrigin) < maxOrigins {
				break
			}
			delete(c.byOrigin, old)
		}
		e = &robotsEntry{place: make(chan struct{}, 1)}
		c.byOrigin[origin] = e
	}
	return e
}

// permit asks the robots.txt of a page's origin, and returns the pause it wants.
func (f *Fetcher) permit(ctx context.Context, at *url.URL, fromPublic bool) (time.Duration, error) {
	file, err := f.robotsOf(ctx, at, fromPublic)
	if err != nil {
		return 0, err
	}
	if !file.allows(at.RequestURI()) {
		return 0, failed(Robots, at.String(), "robots.txt of %s disallows it", at.Host)
	}
	return max(f.o.Pause, min(file.delay, f.o.MaxDelay)), nil
}

// robotsOf returns the robots.txt of an origin, fetching it when it is not known or too
// old. By RFC 9309 one that does not exist allows everything, one that cannot be read
// nothing; 429 counts among the latter.
func (f *Fetcher) robotsOf(ctx context.Context, at *url.URL, fromPublic bool) (robotsFile, error) {
	origin := url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}
	e := f.robots.entry(origin.String())
	select {
	case e.place <- struct{}{}:
		defer func() { <-e.place }()
	case <-ctx.Done():
		return robotsFile{}, ctx.Err()
	}
	now := f.o.Clock.Now()
	if now.Before(e.until) {
		return e.known(at, now)
	}
	got, err := f.chain(ctx, Request{URL: origin.String()}, kind{redirects: maxRobotsRedirects, maxBytes: maxRobots + 1, cut: true, anyType: true}, fromPublic)
	var failure *Error
	switch {
	case err == nil:
		e.file, e.down, e.until = parseRobots(got.Body), nil, now.Add(robotsLife)
		e.file.public = got.public
	case !errors.As(err, &failure), failure.Code == RefusedAddress && failure.URL == origin.String():
		// Of the request, not of the file: nothing is remembered.
		return robotsFile{}, err
	case isAbsent(failure):
		e.file, e.down, e.until = robotsFile{}, nil, now.Add(robotsLife)
	default:
		e.file, e.down, e.until = robotsFile{}, failure, now.Add(max(robotsRetry, failure.RetryAfter))
	}
	return e.known(at, now)
}

func (e *robotsEntry) known(at *url.URL, now time.Time) (robotsFile, error) {
	if e.down == nil {
		return e.file, nil
	}
	err := failed(Robots, at.String(), "robots.txt of %s cannot be read: %s", at.Host, e.down.Reason).because(e.down)
	err.Status, err.Temporary = e.down.Status, true
	switch e.down.Code {
	case Unreachable, Timeout, Busy: // of the host, whatever is asked of it
		err.Code, err.Temporary = e.down.Code, e.down.Temporary
	}
	if err.Temporary {
		err.RetryAfter = e.until.Sub(now)
	}
	return robotsFile{}, err
}

// isAbsent says that there is no robots.txt: an answer 4xx, or redirects that lead
// nowhere.
func isAbsent(err *Error) bool {
	switch err.Code {
	case NotFound, TooManyRedirects:
		return true
	case BadStatus:
		return err.Status >= 400 && err.Status < 500
	}
	return false
}

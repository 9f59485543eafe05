package crawl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync/atomic"

	"code.dny.dev/ssrf"
)

// Resolver finds the addresses of a name; network is "ip". *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// azureWire answers with credentials of the machine as 169.254.169.254 does elsewhere,
// from an address that is public by IANA's registries.
var azureWire = netip.MustParsePrefix("168.63.129.16/32")

// maxTried bounds the addresses of a name that are tried one after the other.
const maxTried = 4

// guard decides which addresses are dialled. The rule: a public address always; one of
// the allowed prefixes too, but not once a chain of redirects has been at a public
// address, so that nobody on the internet sends us into a network of the operator's.
type guard struct {
	public *ssrf.Guardian
	allow  []netip.Prefix
}

func newGuard(allow []netip.Prefix) *guard {
	return &guard{
		public: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork(), ssrf.WithDeniedV4Prefixes(azureWire)),
		allow:  slices.Clone(allow),
	}
}

// errRefused is wrapped by what check returns.
var errRefused = errors.New("refused")

// check refuses an address, or says whether it is a public one.
func (g *guard) check(a netip.Addr, fromPublic bool) (public bool, err error) {
	refusal := g.public.SafeAddr(a)
	if refusal == nil {
		return true, nil
	}
	if !slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return false, fmt.Errorf("%w: %s is not a public address", errRefused, a)
	}
	if fromPublic {
		return false, fmt.Errorf("%w: %s is not a public address, and a public one redirects to it", errRefused, a)
	}
	return false, nil
}

// hop is what dialling has to know of the request it is for, and what it tells.
type hop struct {
	fromPublic bool        // a public address led here
	atPublic   atomic.Bool // this request went to one
}

type hopKey struct{}

// dialer connects to addresses that the guard lets through. It looks a name up itself
// and dials what it found, so that there is no second look-up to answer differently.
type dialer struct {
	guard   *guard
	resolve Resolver
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	h, ok := ctx.Value(hopKey{}).(*hop)
	if !ok {
		return nil, errors.New("a request that is not of a chain")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	found, err := d.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, a := range found[:min(len(found), maxTried)] {
		// What stands for IPv4 inside of IPv6 is dialled as IPv4, so it is checked as that.
		conn, public, err := d.try(ctx, network, netip.AddrPortFrom(a.Unmap(), uint16(n)), h.fromPublic)
		if err == nil {
			h.atPublic.Store(public)
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

func (d *dialer) try(ctx context.Context, network string, to netip.AddrPort, fromPublic bool) (net.Conn, bool, error) {
	public, err := d.guard.check(to.Addr(), fromPublic)
	if err != nil {
		return nil, false, err
	}
	conn, err := d.dial(ctx, network, to.String())
	return conn, public, err
}

func (d *dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	found, err := d.resolve.LookupNetIP(ctx, "ip", host)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no address", host)
	}
	return found, err
}

// Package crawl fetches pages of sites politely and safely, and reads what it takes to
// find more of them: robots.txt, sitemaps, links, and the one form of an address.
//
// It promises that no request reaches an address that is not public, whatever a name
// resolves to at the moment and wherever a redirect leads, unless the operator allowed
// that address (Options.Allow); that a host gets one request at a time with a pause
// after each; that robots.txt is obeyed; and that everything read is bounded in bytes
// and in time.
//
// It keeps no frontier, no events and no database, runs no scripts and extracts no
// text: who crawls calls it for one page after the other. What it remembers (robots.txt,
// when a host was last asked) is in memory, bounded, and lost with the process. Between
// processes politeness is not shared.
//
// Which addresses are public: IANA's registries of special addresses say so, and one
// address more is refused, at which a cloud's machines find their credentials. An operator whose own network translates IPv4 into a prefix of public IPv6, or who has
// public addresses nobody should fetch, has to refuse them in the network.
package crawl

package page

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/stepledger/stepledger/domain/weburl"
)

// MeaningHash is the hash of what a person would say the page shows: role, name,
// value, state and row or form of every visible element, the headings, the alerts and
// the URL's path. Ticking texts (clocks, counters of viewers, players,
// advertisements) and secrets are left out. Pages with the same hash mean the same,
// whatever their markup; an empty page has one too.
func MeaningHash(p Page) string {
	h := sha256.New()
	b := make([]byte, 0, 4096)
	field := func(s string) { b = append(append(b, s...), 0) }
	field(path(p.URL))
	var group, steadyGroup string // the elements of a group follow each other
	var advert bool
	for i := range p.Elements {
		e := &p.Elements[i]
		if e.Group != group {
			group, steadyGroup, advert = e.Group, dropTicking(e.Group, false), isAdvert(e.Group)
		}
		if e.State.Hidden || advert {
			continue
		}
		field(e.Role)
		field(dropTicking(e.Name, false))
		field(steadyGroup)
		if !e.State.Secret && !changesByItself(e.Role, e.Name) {
			field(dropTicking(e.Value, false))
		}
		b = appendState(b, &e.State)
		if len(b) > 3072 {
			h.Write(b)
			b = b[:0]
		}
	}
	for _, s := range p.Headings {
		field(dropTicking(s, true))
	}
	for _, a := range p.Alerts {
		field(string(a.Kind))
		field(dropTicking(a.Text, true))
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// appendState writes the meaningful part of a state, without focus, which is compared
// on its own, and without being covered, which is not the element's doing.
func appendState(b []byte, s *State) []byte {
	b = append(append(b, s.Checked...), 0)
	b = append(append(b, s.Expanded...), 0)
	for _, flag := range [...]bool{s.Disabled, s.Selected, s.Required, s.Readonly, s.Invalid, s.Secret} {
		if flag {
			b = append(b, '1')
		} else {
			b = append(b, '0')
		}
	}
	if s.Secret && s.Filled {
		b = append(b, 'f')
	}
	b = append(b, s.Marks...)
	return append(b, '\n')
}

// path is the part of a URL that identifies the view: scheme, host, path, and the
// fragment if an application routes by it (#/inbox, #!inbox).
func path(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil {
		return raw
	}
	p := u.Scheme + ":" + u.Opaque + "//" + u.Host + sessionless(u.EscapedPath())
	if f := u.EscapedFragment(); strings.HasPrefix(f, "/") || strings.HasPrefix(f, "!") {
		p += "#" + f
	}
	return p
}

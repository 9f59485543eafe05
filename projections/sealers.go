package projections

import (
	"context"
	"errors"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// sealers caches the sealers of one page's streams: a key is looked up once a page,
// and only if there is sealed text. They are not kept longer, so that a dropped key
// is gone for projections as well.
type sealers struct {
	ctx  context.Context
	keys Keys
	seen map[string]*lazySealer
}

func newSealers(ctx context.Context, keys Keys) *sealers {
	return &sealers{ctx, keys, map[string]*lazySealer{}}
}

// of returns the sealer of an event's stream.
func (s *sealers) of(e eventstore.Recorded) domain.Sealer {
	if l, ok := s.seen[e.Stream]; ok {
		return l
	}
	l := &lazySealer{of: s, tenant: e.Metadata().Tenant, subject: Subject(e.Stream)}
	s.seen[e.Stream] = l
	return l
}

// Subject is the name of a stream without its category: the task's id.
func Subject(stream string) string {
	_, subject, _ := strings.Cut(stream, "-")
	return subject
}

type lazySealer struct {
	of              *sealers
	tenant, subject string
	sealer          domain.Sealer
}

// errKeys marks a problem of the key store, which no event caused.
var errKeys = errors.New("keys are out of reach")

// Open implements domain.Sealer.
func (l *lazySealer) Open(sealed, context []byte) ([]byte, error) {
	if l.sealer == nil {
		s, err := l.of.keys.Key(l.of.ctx, l.tenant, l.subject)
		switch {
		case errors.Is(err, domain.ErrBadKey):
			return nil, err // for ever, and of this stream only: poison
		case err != nil:
			return nil, errors.Join(errKeys, err)
		}
		l.sealer = s
	}
	return l.sealer.Open(sealed, context)
}

// Seal implements domain.Sealer; a projection seals nothing.
func (l *lazySealer) Seal(_, _ []byte) ([]byte, error) {
	return nil, errors.New("a projection only reads")
}

package main

import (
	"context"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections/skills"
)

// absentFor is how long it is remembered that there is nothing: what is added meanwhile is
// found that much later. What is there is never remembered, so that what is removed is not
// found from then on.
const absentFor = time.Second

// maxAbsences bounds what is remembered; it is forgotten when it is full.
const maxAbsences = 10_000

// absences remembers where nothing was found. The zero value is ready; it is safe for
// concurrent use.
type absences struct {
	mu    sync.Mutex
	until map[string]time.Time
	now   func() time.Time // nil is time.Now
}

func (a *absences) clock() time.Time {
	if a.now == nil {
		return time.Now()
	}
	return a.now()
}

// holds reports whether there was nothing a moment ago.
func (a *absences) holds(where string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clock().Before(a.until[where])
}

func (a *absences) note(where string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until == nil || len(a.until) >= maxAbsences {
		a.until = map[string]time.Time{}
	}
	a.until[where] = a.clock().Add(absentFor)
}

// siteSkills are the skills as a turn asks for them: most tenants have none of most sites.
type siteSkills struct {
	skills.Queries
	none *absences
}

// Find implements commands.Skills.
func (s siteSkills) Find(ctx context.Context, tenant, site, goal string) ([]reasoning.Skill, error) {
	where := tenant + "\x00" + site
	if s.none.holds(where) {
		return nil, nil
	}
	found, err := s.Queries.Find(ctx, tenant, site, goal)
	if err != nil || len(found) > 0 {
		return found, err
	}
	if has, err := s.Has(ctx, tenant, site); err == nil && !has {
		s.none.note(where)
	}
	return nil, nil
}

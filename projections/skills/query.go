// Package skills is the read model of what corrections have taught: on this
// site, for a goal like this, that action failed and this one worked.
//
// A correction becomes a skill when verification confirms the retry, and only
// then; a verdict nobody gave confirms nothing. Skills never leave their tenant and site. Elements are described as a
// person would say them, by role and name; what was typed into them is not
// kept. A skill shown to the agent gains or loses by what became of the step
// it was shown for. A tenant has 10,000 at most (the least useful leave first)
// and each is forgotten 90 days after its last use.
package skills

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections"
)

// Limits of the library (spec, Skills Library §A).
const (
	MaxPerTenant   = 10_000
	MinSuccessRate = 0.5
	// KeptFor is how long a skill lives without being used.
	KeptFor = 90 * 24 * time.Hour
	// MaxShown is how many skills a question is answered with: more is noise in
	// a prompt.
	MaxShown = 5
	// MinSimilarity of two goals, by trigrams: "add a new patient" is 0.71 like
	// "add patient", 0.41 like "add a new user", 0.29 like "delete the patient";
	// two that differ in a long name only, 0.47.
	MinSimilarity = 0.45
	// MinContained is how much of a goal has to be within another for the two to
	// be alike whatever else that says: "add a new patient" is 1.0 within "add a
	// new patient named Jas Miller born 1980", though only 0.40 like it.
	MinContained = 0.8
)

// halfLife: a skill unused for this long counts half as much as a fresh one.
const halfLife = 30 * 24 * time.Hour

// Queries reads the model. Now is the clock; nil means time.Now.
type Queries struct {
	DB  projections.DB
	Now func() time.Time
}

func (q Queries) now() time.Time {
	if q.Now == nil {
		return time.Now()
	}
	return q.Now()
}

const find = `
	select skill_id, goal, failed_action, failed_role, failed_name, failed_group,
		use_action, use_role, use_name, use_group, strategy, successes, failures
	from read.skill,
		lateral (select greatest(word_similarity(goal_key, @goal), word_similarity(@goal, goal_key)) as within) as w,
		lateral (select case
			when goal_key = @goal then 1 -- also where trigrams know no letters
			when w.within >= @contained::float8 then w.within
			else similarity(goal_key, @goal) end as alike) as s
	where tenant = @tenant and site = @site
		and s.alike >= @alike::float8
		and successes >= @rate::float8 * (successes + failures)
		and last_used > @now::timestamptz - make_interval(secs => @kept::float8)
	order by s.alike * (successes + 1.0) / (successes + failures + 2.0)
		* power(0.5, greatest(0, extract(epoch from @now::timestamptz - last_used)::float8) / @half::float8) desc, skill_id
	limit @limit`

// Find is what was learnt on a site for goals like this one, best first. Site
// is a host or a URL. Best is alike, successful and recent, in that measure.
func (q Queries) Find(ctx context.Context, tenant, site, goal string) ([]reasoning.Skill, error) {
	rows, err := q.DB.Query(ctx, find, pgx.NamedArgs{
		"tenant": tenant, "site": host(site), "goal": goalKey(goal),
		"alike": MinSimilarity, "contained": MinContained, "rate": MinSuccessRate, "kept": KeptFor.Seconds(),
		"half": halfLife.Seconds(), "now": q.now(), "limit": MaxShown,
	})
	if err != nil {
		return nil, fmt.Errorf("find skills of %s: %w", host(site), projections.Unavailable(err))
	}
	skills, err := pgx.CollectRows(rows, toSkill)
	if err != nil {
		return nil, fmt.Errorf("find skills of %s: %w", host(site), projections.Unavailable(err))
	}
	return skills, nil
}

func toSkill(row pgx.CollectableRow) (s reasoning.Skill, err error) {
	err = row.Scan(&s.ID, &s.Goal, &s.FailedAction, &s.FailedTarget.Role, &s.FailedTarget.Name, &s.FailedTarget.Group,
		&s.UseAction, &s.UseTarget.Role, &s.UseTarget.Name, &s.UseTarget.Group, &s.Strategy, &s.Successes, &s.Failures)
	return s, err
}

// host is the site of a URL, or a bare host, in lower case and without port.
func host(site string) string {
	site = projections.BareURL(projections.Text(site))
	if u, err := url.Parse(site); err == nil && u.Host != "" {
		site = u.Hostname()
	}
	return strings.ToLower(site)
}

// goalKey is a goal as it is compared: case and spacing do not matter.
func goalKey(goal string) string {
	return strings.ToLower(strings.Join(strings.Fields(projections.Text(goal)), " "))
}

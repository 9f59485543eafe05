// Package skills is the read model of what corrections have taught: on this
// site, for a goal like this, that action failed and this one worked.
//
// A correction becomes a skill when verification confirms the retry, and only
// then; a verdict nobody gave confirms nothing. What worked in the end is learnt
// for each action that failed in the step. Skills never leave their tenant and
// site. Elements are described as a person would say them, by role and name, or
// the lesson is not kept: what was typed into them, and anything of secret
// fields, never is. A task whose text was erased teaches nothing.
//
// Goals are compared by trigrams (other endings, other values) and by their
// words in common (other order, something more), whatever the language. The same
// lesson for a goal like one it was learnt for before is the same skill.
//
// A skill shown to the agent is recorded on the action that was then decided,
// and what becomes of the action moves its counts as far as it is the skill's
// doing: an action that follows it is a success or a failure of it; one the skill
// warned of and that worked all the same is a failure, since the skill is out of
// date; any other says nothing of it. So a skill can neither live on what it had
// no part in nor die of not being heeded.
//
// A tenant has 10,000 skills at most (the least useful leave first: the rate at
// which they worked, halved for every thirty days without use) and each is
// forgotten 90 days after its last use. All time is the events', so a rebuild
// gives the same library.
package skills

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/projections"
)

// Limits of the library (spec, Skills Library §A).
const (
	MaxPerTenant   = 10_000
	MinSuccessRate = 0.5
	// KeptFor is how long a skill is kept without being used.
	KeptFor = 90 * 24 * time.Hour
	// MaxFound bounds the skills Find returns; the caller selects those that fit a
	// page.
	MaxFound = 100
	// MinSimilarity of two goals, by trigrams: "add patients" is 0.56 like "add
	// patient", "add a new user" 0.41 like "add a new patient"; two that differ in
	// a long name only, 0.47.
	MinSimilarity = 0.45
	// MinContained is how many of a goal's words have to be in the other for the
	// two to be alike whatever else that says: all of "add a new patient" are in
	// "add a new patient named Jas Miller born 1980", three of four in "add a new
	// user".
	MinContained = 0.8
)

// halfLife is the time without use after which a skill counts half.
const halfLife = 30 * 24 * time.Hour

// What a question costs is bounded: of the skills of a site those used last are
// looked at for words in common, at 1 µs each, and of these the nearest for
// trigrams, at 6 µs each.
const (
	maxRecent   = 1000
	maxCompared = 200
)

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

// shared is the share of the shorter goal's words that are in the other: words are a
// tsvector, others a text[].
func shared(words, others string) string {
	return fmt.Sprintf(`coalesce((length(%[1]s) - length(ts_delete(%[1]s, %[2]s)))::float8
		/ nullif(least(length(%[1]s), cardinality(%[2]s)), 0), 0)`, words, others)
}

// alike is the similarity of two goals, given their shared words.
func alike(key, other string) string {
	return fmt.Sprintf(`case when %[1]s = %[2]s then 1 else
		greatest(similarity(%[1]s, %[2]s), case when shared >= @contained::float8 then shared else 0 end) end`, key, other)
}

// The limits of the inner queries also keep what is dear from being computed
// more than once.
var find = `
	select skill_id, goal, failed_action, failed_role, failed_name, failed_group, error_type,
		use_action, use_role, use_name, use_group, strategy, successes, failures, task_id
	from (
		select *, ` + alike("goal_key", "@goal") + ` as alike
		from (
			select *, ` + shared("goal_words", "@words::text[]") + ` as shared
			from (
				select * from read.skill
				where tenant = @tenant and site = @site
					and successes >= @rate::float8 * (successes + failures) and ` + usedLately + `
				order by last_used desc
				limit @recent
			) as recent
			order by goal_key = @goal desc, shared desc, last_used desc, skill_id
			limit @compared
		) as near
		offset 0
	) as found
	where alike >= @alike::float8
	order by alike * (` + usefulness + `) desc, skill_id
	limit @limit`

// usefulness is how often a skill worked, smoothed by one imagined success and
// failure, and halved for every half-life without use.
const usefulness = `(successes + 1)::float8 / (successes + failures + 2)
	* power(0.5, greatest(0, extract(epoch from @at::timestamptz - last_used)::float8) / @half::float8)`

// Find returns what was learnt on a site for similar goals, best first: similar,
// successful and recent. site is a host or a URL.
func (q Queries) Find(ctx context.Context, tenant, site, goal string) ([]reasoning.Skill, error) {
	rows, err := q.DB.Query(ctx, find, q.findArgs(tenant, site, goal))
	if err != nil {
		return nil, fmt.Errorf("find skills of %s: %w", host(site), projections.Unavailable(err))
	}
	skills, err := pgx.CollectRows(rows, toSkill)
	if err != nil {
		return nil, fmt.Errorf("find skills of %s: %w", host(site), projections.Unavailable(err))
	}
	return skills, nil
}

// Has reports whether anything was learnt on a site. site is a host or a URL.
func (q Queries) Has(ctx context.Context, tenant, site string) (has bool, err error) {
	err = q.DB.QueryRow(ctx, `select exists (select from read.skill where tenant = $1 and site = $2)`, projections.Text(tenant), host(site)).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for skills of %s: %w", host(site), projections.Unavailable(err))
	}
	return has, nil
}

func (q Queries) findArgs(tenant, site, goal string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"tenant": tenant, "site": host(site), "goal": goalKey(goal), "words": goalWords(goal),
		"alike": MinSimilarity, "contained": MinContained, "rate": MinSuccessRate, "kept": KeptFor.Seconds(),
		"half": halfLife.Seconds(), "at": q.now(), "recent": maxRecent, "compared": maxCompared, "limit": MaxFound,
	}
}

func toSkill(row pgx.CollectableRow) (s reasoning.Skill, err error) {
	err = row.Scan(append(skillColumns(&s), &s.Task)...)
	return s, err
}

// skillColumns returns the destinations of a skill's first columns.
func skillColumns(s *reasoning.Skill) []any {
	return []any{
		&s.ID, &s.Goal, &s.FailedAction, &s.FailedTarget.Role, &s.FailedTarget.Name, &s.FailedTarget.Group, &s.ErrorType,
		&s.UseAction, &s.UseTarget.Role, &s.UseTarget.Name, &s.UseTarget.Group, &s.Strategy, &s.Successes, &s.Failures,
	}
}

// host is the lower-case host of a URL or of a bare host, without port.
func host(site string) string {
	site = projections.BareURL(projections.Text(site))
	if u, err := weburl.Parse(site); err == nil && u.Host != "" {
		site = u.Hostname()
	}
	return strings.ToLower(site)
}

package skills_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/skills"
)

// chronicle writes random histories over months: lessons for goals alike and
// not, skills shown and heeded or not, verdicts nobody gave, erased tasks.
type chronicle struct {
	*projtest.Env
	of    projections.Projection
	rng   *rand.Rand
	now   time.Time
	known []string // skills there are or were
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func (c *chronicle) task() {
	c.now = c.now.Add(time.Duration(c.rng.IntN(24)) * time.Hour)
	k := c.Task("s", pick(c.rng, "https://a.example/x", "https://a.example/x", "https://b.example/"),
		pick(c.rng, "Add a new patient", "add a patient", "添加新患者"))
	k.Tenant = pick(c.rng, projtest.Tenant, projtest.Tenant, projtest.Tenant, "globex")
	k.Turn(k.URL)
	applied := false
	for range 1 + c.rng.IntN(3) {
		a, on := c.act()
		k.Act(a, on, c.shown()...)
		if c.rng.IntN(15) == 0 { // nobody comes back for a season
			c.now = c.now.Add(time.Duration(84+c.rng.IntN(12)) * 24 * time.Hour)
			c.catchUp()
			applied = true
		}
		for k.Verdict(c.rng.IntN(3) == 0); c.rng.IntN(3) > 0; k.Verdict(c.rng.IntN(3) > 0) {
			a, on := c.act()
			k.Correct(pick(c.rng, reasoning.AlternativeSelector, reasoning.AlternativeTool, reasoning.RetryWithDelay), a, on, c.shown()...)
			if c.rng.IntN(8) == 0 {
				unjudged(k)
			}
		}
	}
	switch c.rng.IntN(10) {
	case 0:
		if !applied { // else its text is here until a rebuild
			c.Keys.Drop(k.ID)
		}
	case 1, 2:
		k.Fail("GAVE_UP", "no")
	case 3, 4, 5:
		k.Complete("done")
	}
}

func (c *chronicle) act() (action.Action, task.Target) {
	switch c.rng.IntN(10) {
	case 0:
		return action.Action{Name: action.Press, Text: "Enter"}, task.Target{}
	case 1:
		return projtest.Set("9", "a value"), projtest.Target("9", "textbox", "Name")
	}
	return projtest.Click("1"), projtest.Target("1", "button", pick(c.rng, "Save", "Store"))
}

func (c *chronicle) shown() (ids []string) {
	for range min(c.rng.IntN(6), len(c.known)) {
		ids = append(ids, pick(c.rng, c.known...))
	}
	return ids
}

// catchUp applies what there is, with retention as of now at some times only.
func (c *chronicle) catchUp() {
	c.CatchUp(c.of)
	if c.rng.IntN(2) == 0 {
		c.expire()
	}
	c.check()
	rows, err := c.Pool.Query(c.T.Context(), `select skill_id::text from read.skill order by created_at, skill_id`)
	if err != nil {
		c.T.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		c.T.Fatal(err)
	}
	c.known = append(ids, c.known[:min(len(c.known), 2)]...) // and some that may be gone
}

func (c *chronicle) expire() {
	if _, err := (skills.Queries{DB: c.Pool, Now: func() time.Time { return c.now }}).Expire(c.T.Context()); err != nil {
		c.T.Fatal(err)
	}
}

// A library that grew with the log is the one made of the whole log at once:
// limits, time, showings and lessons in other words included.
func TestRebuild_GivesTheSameLibrary(t *testing.T) {
	t.Parallel()
	p := skills.Bounded(6)
	for seed := range uint64(3) {
		c := &chronicle{Env: projtest.New(t), of: p, rng: rand.New(rand.NewPCG(seed, 5)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		c.Store = memory.New(memory.Options{Now: func() time.Time { return c.now }})
		for range 6 {
			for range 15 {
				c.task()
			}
			c.catchUp()
		}
		c.expire()
		grown := c.Dump(p)
		if err := projections.NewRunner(c.Config(p)).Rebuild(t.Context(), p.Name); err != nil {
			t.Fatal(err)
		}
		c.expire()
		if diff := cmp.Diff(grown, c.Dump(p)); diff != "" {
			t.Fatalf("seed %d: (-grown +rebuilt):\n%s", seed, diff)
		}
	}
}

// check is what holds at all times.
func (c *chronicle) check() {
	c.T.Helper()
	for what, sql := range map[string]string{
		"tenants beyond their maximum": `select count(*) from (select from read.skill group by tenant having count(*) > 6) as t`,
		"lessons there twice": `select count(*) from read.skill a join read.skill b using (tenant, site, failed_action, failed_role, failed_name, use_action, use_role, use_name)
			where a.skill_id < b.skill_id and similarity(a.goal_key, b.goal_key) > 0.99`,
		"skills that say to do the same":    `select count(*) from read.skill where (failed_action, failed_role, failed_name) = (use_action, use_role, use_name)`,
		"skills with nothing to show":       `select count(*) from read.skill where successes < 1 or failures < 0 or last_used < created_at`,
		"values, or queries of an address":  `select count(*) from read.skill s where s::text like any (array['%a value%', '%/x%'])`,
		"events put aside":                  `select count(*) from read.parked`,
		"skills without words, or a number": `select count(*) from read.skill where length(goal_words) = 0 or shown < 0`,
	} {
		if n := c.Count(sql); n != 0 {
			c.T.Errorf("%d %s", n, what)
		}
	}
}

// A use counts where it was made in time, whenever it comes to be known.
func TestExpire_AndUsesNotedLate(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name                     string
		usedAfter, expiredBefore time.Duration // expired, then applied
		want                     int
	}{
		{"used in time, noted late", 89 * day, 90*day + 12*time.Hour, 1},
		{"used too late", 92 * day, 80 * day, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, start := projtest.New(t), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			now := start
			e.Store = memory.New(memory.Options{Now: func() time.Time { return now }})
			expire := func(after time.Duration) {
				q := skills.Queries{DB: e.Pool, Now: func() time.Time { return start.Add(after) }}
				if _, err := q.Expire(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			lesson(e, goal)
			id := find(t, e, projtest.Tenant, site, goal, now)[0].ID
			now = start.Add(88 * day)
			k := begin(e, goal).Act(projtest.Click("79"), search, id)
			e.CatchUp(skills.Projection)
			now = start.Add(tt.usedAfter)
			k.Verdict(true)
			expire(tt.expiredBefore)
			e.CatchUp(skills.Projection)
			expire(tt.usedAfter + 3*day)
			if n := e.Count(`select count(*) from read.skill`); n != tt.want {
				t.Errorf("%d skills, want %d", n, tt.want)
			}
		})
	}
}

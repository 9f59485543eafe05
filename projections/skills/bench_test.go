package skills_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/skills"
)

// fillLibraries gives each of five tenants a full library over so many sites,
// every skill for a goal of its own.
func fillLibraries(t testing.TB, e *projtest.Env, sites int) {
	t.Helper()
	if err := projections.NewRunner(e.Config(skills.Projection)).Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	const fill = `
		insert into read.skill
		select gen_random_uuid(), tenant, 'site' || n % $1::integer || '.example', goal, goal, 'click', 'button', 'Save ' || n, '',
			'click', 'link', 'Store ' || n, '', 'ALTERNATIVE_SELECTOR', 1 + n % 7, n % 3, now() - make_interval(hours => n % 1500),
			now(), gen_random_uuid(), 'VERIFICATION_FAILED', array_to_tsvector(string_to_array(goal, ' ')), 0
		from unnest(array['acme', 'globex', 'initech', 'umbrella', 'hooli']) as tenant, generate_series(1, $2::integer) as n,
			lateral (select (array['add a new ', 'delete the old ', 'print each '])[1 + n % 3]
				|| (array['patient', 'user', 'invoice', 'order', 'report'])[1 + n % 5] || ' with number ' || md5(n::text) as goal) as g`
	if _, err := e.Pool.Exec(t.Context(), fill, sites, skills.MaxPerTenant); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Pool.Exec(t.Context(), `analyze`); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkQueries_Find(b *testing.B) {
	for _, sites := range []int{100, 10, 1} {
		b.Run(fmt.Sprintf("sites=%d", sites), func(b *testing.B) {
			e := projtest.New(b)
			fillLibraries(b, e, sites)
			q := skills.Queries{DB: e.Pool}
			b.ResetTimer()
			for b.Loop() {
				found, err := q.Find(b.Context(), "initech", "site0.example", "Add a new patient with number 0cc175b9c0f1b6a831c399e269772661")
				if err != nil || len(found) == 0 {
					b.Fatalf("%d found, %v", len(found), err)
				}
			}
		})
	}
}

// The libraries of others, and of other sites, are not read.
func TestQueries_Find_ByItsIndex(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	fillLibraries(t, e, 100)
	sql, args := skills.Queries{}.FindSQL("initech", "site0.example", "Add a new patient")
	rows, err := e.Pool.Query(t.Context(), "explain (analyze, timing off) "+sql, args)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(lines, "\n")
	if !strings.Contains(plan, "skill_tenant_site_last_used_idx") || strings.Contains(plan, "Seq Scan") {
		t.Errorf("skills are found by another way than tenant and site:\n%s", plan)
	}
}

package skills

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/projections"
)

// names are the texts of pages in what a task has taught and is teaching.
var names = []projections.Texts{
	{Table: "skill", Key: "skill_id", Where: "task_id = @task", Columns: []string{"failed_name", "failed_group", "use_name", "use_group"}},
	{Table: "failed", Key: "(step_index, attempt)", Where: "task_id = @task", Columns: []string{"failed_name", "failed_group"}},
	{Table: "lesson", Key: "step_index", Where: "task_id = @task", Columns: []string{"use_name", "use_group"}},
}

// conceal removes secrets from what a task has taught: its goal, with its words, and
// the names of elements.
func conceal(b *projections.Batch, s *secret.Set, task string) {
	b.Rewrite(func(ctx context.Context, tx pgx.Tx) error {
		for _, table := range []string{"goal", "skill"} {
			if err := concealGoals(ctx, tx, s, table, task); err != nil {
				return fmt.Errorf("conceal in %s: %w", table, err)
			}
		}
		return nil
	})
	b.Conceal(s, pgx.NamedArgs{"task": task}, names...)
}

func concealGoals(ctx context.Context, tx pgx.Tx, s *secret.Set, table, task string) error {
	rows, err := tx.Query(ctx, "select distinct goal from "+table+" where task_id = $1 order by goal", task)
	if err != nil {
		return err
	}
	goals, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, goal := range goals {
		cut := s.Cut(goal)
		if cut == goal {
			continue
		}
		_, err := tx.Exec(ctx, "update "+table+" set goal = $1, goal_key = $2, goal_words = array_to_tsvector($3::text[]) where task_id = $4 and goal = $5",
			cut, goalKey(cut), goalWords(cut), task, goal)
		if err != nil {
			return err
		}
	}
	return nil
}

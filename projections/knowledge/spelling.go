package knowledge

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// minLike is how like a word of the index has to be to an unknown one of the question, by
// trigrams: "rechnug" is 0.55 like "rechnung", "errconnrset" 0.57 like "errconnreset".
const minLike = 0.4

// maxUnknown words of a question are looked for by their spelling, each as maxAlike others.
const (
	maxUnknown = 6
	maxAlike   = 5
	// minSpelt is how long, in characters, a word is that is worth it.
	minSpelt = 4
)

const alikeSQL = `
	select number, lexeme, df, likeness
	from unnest(@numbers::int[], @words::text[]) as w (number, word), lateral (
		select lexeme, df, similarity(lexeme, word) as likeness from read.term_text
		where tenant || '' = @tenant and lexeme % word
		order by likeness desc, df desc, lexeme
		limit @alike
	) t
	order by number, likeness desc, lexeme`

// bySpelling orders the chunks that have words spelt nearly like those of the question that
// are nowhere.
func (q Queries) bySpelling(ctx context.Context, query Query, p searchPlan) ([]found, error) {
	var unknown []asked
	for _, w := range p.words {
		if w.unknown() && len([]rune(w.word)) >= minSpelt && len(unknown) < maxUnknown {
			unknown = append(unknown, w)
		}
	}
	if len(unknown) == 0 || !p.trigrams {
		return nil, nil
	}
	words, err := q.alike(ctx, query, unknown)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, nil
	}
	return q.rank(ctx, query, p, append(p.known(), words...))
}

func (w asked) unknown() bool {
	return !slices.ContainsFunc(w.terms, func(t term) bool { return t.df > 0 })
}

// alike finds what some words may have been meant to be. The threshold lasts for the
// transaction.
func (q Queries) alike(ctx context.Context, query Query, unknown []asked) ([]asked, error) {
	var numbers []int
	var forms []string
	for i, w := range unknown {
		numbers, forms = append(numbers, i), append(forms, w.word)
		for _, t := range w.terms {
			if t.lexeme != w.word {
				numbers, forms = append(numbers, i), append(forms, t.lexeme)
			}
		}
	}
	out := make([]asked, len(unknown))
	for i, w := range unknown {
		out[i] = asked{word: w.word, code: w.code}
	}
	err := pgx.BeginFunc(ctx, q.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local pg_trgm.similarity_threshold = `+strconv.FormatFloat(minLike, 'f', -1, 64)); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, alikeSQL, pgx.NamedArgs{"tenant": query.Tenant, "numbers": numbers, "words": forms, "alike": maxAlike})
		if err != nil {
			return err
		}
		var number int
		var t term
		_, err = pgx.ForEachRow(rows, []any{&number, &t.lexeme, &t.df, &t.like}, func() error {
			t.like *= t.like
			out[number].terms = append(out[number].terms, t)
			return nil
		})
		return err
	})
	out = slices.DeleteFunc(out, func(w asked) bool { return len(w.terms) == 0 })
	for i := range out {
		out[i].terms = likest(out[i].terms)
	}
	return out, err
}

// likest keeps the terms most like a word, each once.
func likest(terms []term) []term {
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(a.lexeme, b.lexeme)) })
	var out []term
	for _, t := range terms {
		if len(out) < maxAlike && !slices.ContainsFunc(out, func(o term) bool { return o.lexeme == t.lexeme }) {
			out = append(out, t)
		}
	}
	return out
}

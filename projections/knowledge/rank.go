package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
)

// BM25 as in Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond
// (2009), with its usual constants.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// A word counts so much more in the headings or the name of a document than in its text.
const (
	headingWeight = 2
	nameWeight    = 1
)

// bareLike is how much a word that was asked with marks on its letters is one without them:
// who writes "más" or "đường" mostly means it.
const bareLike = 0.5

// MaxScored is how many chunks are scored for a question at most. Where its words are in
// more, those with the rarest come first.
const MaxScored = 4000

// maxWords of a question are looked for: the rarest.
const maxWords = 32

// term is a word as a dictionary has it.
type term struct {
	lexeme string
	df     int
	// like is how much it is the word that was asked, up to 1.
	like float64
}

// asked is a word of the question with the terms it may be in the index.
type asked struct {
	word  string
	code  bool
	terms []term
}

// searchPlan is what is known of the words of a question.
type searchPlan struct {
	words []asked
	// chunks of the tenant, and their mean length.
	chunks, length float64
	// trigrams: words that are spelt alike can be found.
	trigrams bool
}

// known are the words that are somewhere.
func (p searchPlan) known() []asked {
	var out []asked
	for _, w := range p.words {
		terms := slices.DeleteFunc(slices.Clone(w.terms), func(t term) bool { return t.df == 0 })
		if len(terms) > 0 {
			out = append(out, asked{w.word, w.code, terms})
		}
	}
	return out
}

// A word that the language of the question is full of is not looked for in others, where
// it might be rare.
const planSQL = `
	with config as (
		select config, chunks, length,
			coalesce((select oid from pg_ts_dict where dictname = config || '_stem' and pg_ts_dict_is_visible(oid)), 'simple'::regdictionary) as stemmer
		from read.corpus where tenant = @tenant
	), guessed as (
		select oid from pg_ts_dict where dictname = @guess || '_stem' and pg_ts_dict_is_visible(oid)
	), lexeme as (
		select number, lexeme, max("like") as "like"
		from unnest(@numbers::int[], @words::text[], @likes::float8[]) as w (number, word, "like"), config, unnest(` + stemsOf + `) as lexeme
		where (select ts_lexize(oid::regdictionary, coalesce(nullif(split_part(word, '` + bareOf + `', 2), ''), word)) from guessed) is distinct from '{}'
		group by number, lexeme
	), total as (
		select coalesce(sum(chunks), 0)::float8 as chunks, coalesce(sum(length), 0)::float8 as length from config
	)
	select coalesce(number, 0), coalesce(l.lexeme, ''), coalesce("like", 0), coalesce((select df from read.term t where t.tenant = @tenant and t.lexeme = l.lexeme), 0), chunks, length / greatest(chunks, 1),
		exists (select from pg_extension where extname = 'pg_trgm')
	from total left join lexeme l on true
	order by number, l.lexeme`

// plan takes the words of a question to their stems in the languages the tenant has.
func (q Queries) plan(ctx context.Context, query Query) (p searchPlan, err error) {
	words := askedWords(query.Text)
	if len(words) == 0 {
		return p, nil
	}
	_, language, sure := guess(query.Text)
	if !sure {
		language = ""
	}
	words = withoutQuestions(words, language)
	var numbers []int
	var forms []string
	var likes []float64
	form := func(number int, form string, like float64) {
		numbers, forms, likes = append(numbers, number), append(forms, form), append(likes, like)
	}
	for i, w := range words {
		form(i+1, w.word, 1)
		if b := bare(w.word); b != w.word {
			form(i+1, b+bareOf+w.word, bareLike)
		}
	}
	rows, err := q.DB.Query(ctx, planSQL, pgx.NamedArgs{"tenant": query.Tenant, "guess": language, "numbers": numbers, "words": forms, "likes": likes})
	if err != nil {
		return p, err
	}
	var number int
	var t term
	_, err = pgx.ForEachRow(rows, []any{&number, &t.lexeme, &t.like, &t.df, &p.chunks, &p.length, &p.trigrams}, func() error {
		if number > 0 {
			words[number-1].terms = append(words[number-1].terms, t)
		}
		return nil
	})
	p.words = slices.DeleteFunc(words, func(w asked) bool { return len(w.terms) == 0 })
	return p, err
}

// withoutQuestions leaves out the words that only ask, unless there are no others.
func withoutQuestions(words []asked, language string) []asked {
	rest := slices.DeleteFunc(slices.Clone(words), func(w asked) bool { return questionWords[language][w.word] })
	if len(rest) == 0 {
		return words
	}
	return rest
}

// maxQuestion bounds how much of a question is read.
const maxQuestion = 10_000

// askedWords are the words of a question, each once.
func askedWords(text string) []asked {
	text = strings.ToValidUTF8(text[:min(len(text), maxQuestion)], "")
	var out []asked
	seen := map[string]bool{}
	for _, t := range tokens(text) {
		if seen[t.text] {
			continue
		}
		seen[t.text] = true
		out = append(out, asked{word: t.text, code: t.joined || strings.ContainsAny(t.text, "0123456789")})
		const most = 300
		if len(out) == most {
			break
		}
	}
	return out
}

func (p searchPlan) idf(df int) float64 {
	return math.Log(1 + (p.chunks-float64(df)+0.5)/(float64(df)+0.5))
}

// rarity orders words: what the rarest of a word's terms is worth.
func (p searchPlan) rarity(w asked) float64 {
	best := 0.0
	for _, t := range w.terms {
		best = max(best, t.like*p.idf(t.df))
	}
	return best
}

// rank orders the chunks that have words of the question.
func (q Queries) rank(ctx context.Context, query Query, p searchPlan, words []asked) ([]found, error) {
	if len(words) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(words, func(a, b asked) int { return cmp.Compare(p.rarity(b), p.rarity(a)) })
	words = words[:min(len(words), maxWords)]
	sql, args := p.scoreSQL(words)
	args["tenant"], args["mean"], args["scored"], args["limit"] = query.Tenant, max(p.length, 1), MaxScored, perLeg
	args["weights"] = []float32{1. / headingWeight, float32(nameWeight) / headingWeight, 1, 1} // D, C, B, A
	args["chosen"] = p.candidates(query, words)
	rows, err := q.DB.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	var out []found
	var ref knowledge.ChunkRef
	var weights []float64
	var score float64
	_, err = pgx.ForEachRow(rows, []any{&ref.Version, &ref.Ord, &score, &weights}, func() error {
		f := found{ref: ref, score: score}
		for i, w := range weights {
			if w > 0 && query.Explain {
				f.words = append(f.words, words[i].explained(w))
			}
		}
		out = append(out, f)
		return nil
	})
	return out, err
}

func (w asked) explained(weight float64) WordWeight {
	out := WordWeight{Word: w.word, Weight: weight}
	for _, t := range w.terms {
		out.FoundAs = append(out.FoundAs, t.lexeme)
	}
	return out
}

// quoted is a term in a tsquery.
func quoted(lexeme string) string {
	return `'` + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(lexeme) + `'`
}

// any is a condition that one of the terms of some words is there.
func anyOf(words ...asked) string {
	var all []string
	for _, w := range words {
		for _, t := range w.terms {
			all = append(all, quoted(t.lexeme))
		}
	}
	return "(" + strings.Join(all, " | ") + ")"
}

// candidates chooses the chunks to score, as a tsquery: those with one of the rarest words,
// as many words as there is room for. If there is none even for the rarest, those that have
// another of the words as well.
func (p searchPlan) candidates(query Query, words []asked) string {
	chosen, room := 0, MaxScored
	for _, w := range words {
		for _, t := range w.terms {
			room -= t.df
		}
		if room < 0 {
			break
		}
		chosen++
	}
	var sql string
	switch {
	case chosen > 0:
		sql = anyOf(words[:chosen]...)
	case len(words) > 1:
		sql = anyOf(words[0]) + " & " + anyOf(words[1:]...)
	default:
		sql = anyOf(words[0])
	}
	sql += " & " + quoted(tenantMark(query.Tenant))
	if len(query.Sources) > 0 {
		var sources []string
		for _, id := range query.Sources {
			if domain.ValidUUID(id) {
				sources = append(sources, quoted(sourceMark(id)))
			}
		}
		if len(sources) == 0 {
			sources = []string{quoted(mark)} // which no chunk has
		}
		sql += " & (" + strings.Join(sources, " | ") + ")"
	}
	return sql
}

// scoreSQL scores chunks by their words. How often a word is in a chunk, weighted by where,
// is its cover density: that of a single word is just that.
func (p searchPlan) scoreSQL(words []asked) (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{}
	var columns, sum, weights []string
	n := 0
	for i, w := range words {
		var each []string
		for _, t := range w.terms {
			n++
			args[fmt.Sprintf("t%d", n)] = quoted(t.lexeme)
			args[fmt.Sprintf("i%d", n)] = t.like * p.idf(t.df) * (bm25K1 + 1)
			each = append(each, fmt.Sprintf("@i%d::float8 * (1 - norm / (ts_rank_cd(@weights::real[], words, @t%d::tsquery) * %d + norm))", n, n, headingWeight))
		}
		columns = append(columns, fmt.Sprintf("greatest(%s) as w%d", strings.Join(each, ", "), i))
		sum = append(sum, fmt.Sprintf("w%d", i))
		weights = append(weights, fmt.Sprintf("w%d", i))
	}
	return `
	select version_id, ord, ` + strings.Join(sum, " + ") + ` as score, array[` + strings.Join(weights, ", ") + `] from (
		select version_id, ord, ` + strings.Join(columns, ", ") + ` from (
			select version_id, ord, words, ` + fmt.Sprintf("%g * (%g + %g * length / @mean::float8) as norm", bm25K1, 1-bm25B, bm25B) + `
			from read.chunk_text
			where tenant = @tenant and superseded = 0 and words @@ @chosen::tsquery
			limit @scored
		) c offset 0
	) s
	order by score desc, version_id, ord
	limit @limit`, args
}

package slot

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/logittest"
)

func field(name string) page.Element { return page.Element{Role: "textbox", Name: name} }

// typed is a field of a recorded task, what a person typed into it, and into those
// before.
type typed struct {
	website, query, value string
	field                 page.Element
	before                []string
}

var typeAction = regexp.MustCompile(`(?s)^\[([^\]]*)\](.*) -> TYPE: ?(.*)$`)

// readTyped reads the file QUERIES: a task a line, its actions as
// "[role] name -> TYPE: value".
func readTyped(tb testing.TB) []typed {
	tb.Helper()
	f, err := os.Open(os.Getenv("QUERIES"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []typed
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var task struct {
			Website, Query string
			Actions        []string
		}
		if err := json.Unmarshal(lines.Bytes(), &task); err != nil {
			tb.Fatal(err)
		}
		var before []string
		for _, a := range task.Actions {
			if m := typeAction.FindStringSubmatch(a); m != nil {
				field := page.Element{Role: m[1], Name: page.Clean(m[2])}
				out = append(out, typed{task.Website, task.Query, m[3], field, slices.Clone(before)})
				before = append(before, m[3])
			}
		}
	}
	if lines.Err() != nil || len(out) == 0 {
		tb.Fatalf("%d fields, %v", len(out), lines.Err())
	}
	return out
}

// ridge holds weights back; of four values tried, the best in the cross-validation.
const ridge = 0.6

// fit gives the weights that filled fields teach.
func fit(fields []typed) map[string]float64 {
	examples := make([]logittest.Example, len(fields))
	for i, x := range fields {
		w := wishOf(x.field)
		slots, _ := suitable(x.field, w, Find(x.query), x.before)
		e := &examples[i]
		e.Options = append(e.Options, taught(missing(w)))
		for j := range slots {
			if same(slots[j].Value, x.value) {
				e.Right = append(e.Right, j+1)
			}
			e.Options = append(e.Options, taught(features(w, &slots[j])))
		}
		if e.Right == nil {
			e.Right = []int{0}
		}
	}
	return logittest.Fit(examples, ridge)
}

func taught(fs []feature) []logittest.Feature {
	out := make([]logittest.Feature, len(fs))
	for i, f := range fs {
		out[i] = logittest.Feature{Name: f.name, Value: f.value}
	}
	return out
}

// given is what a field would be given.
type given struct {
	typed
	value      string
	confidence float64
}

func (g given) right() bool { return same(g.value, g.typed.value) }

// part reports whether one of the two values is the other with words around it.
func (g given) part() bool {
	a, b := " "+strings.ToLower(g.value)+" ", " "+strings.ToLower(g.typed.value)+" "
	return strings.TrimSpace(a) != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

func answered(weights map[string]float64, x typed) given {
	w := wishOf(x.field)
	slots, forms := suitable(x.field, w, Find(x.query), x.before)
	best := choose(weights, w, slots)
	if best.index < 0 {
		return given{typed: x}
	}
	return given{x, forms[best.index], best.probability}
}

// crossValidated answers each field by the weights of the others, those of its own
// website left out.
func crossValidated(fields []typed, folds int) []given {
	websites := make([]string, len(fields))
	for i, x := range fields {
		websites[i] = x.website
	}
	fold := logittest.Folds(websites, folds)
	var out []given
	for k := range folds {
		var others []typed
		for _, x := range fields {
			if fold[x.website] != k {
				others = append(others, x)
			}
		}
		w := fit(others)
		for _, x := range fields {
			if fold[x.website] == k {
				out = append(out, answered(w, x))
			}
		}
	}
	return out
}

// BenchmarkSlots measures on the file QUERIES how many typed values are given, and how
// many other ones in their place, cross-validated by website. Values typed before are
// those of the recording.
func BenchmarkSlots(b *testing.B) {
	if os.Getenv("QUERIES") == "" {
		b.Skip("QUERIES is not set")
	}
	fields := readTyped(b)
	for b.Loop() {
		report(crossValidated(fields, 10))
	}
}

func report(answers []given) {
	var verbatim, there, found, wrong, part, best int
	for _, g := range answers {
		if strings.Contains(strings.ToLower(g.query), strings.ToLower(g.typed.value)) {
			verbatim++
		}
		if slices.ContainsFunc(Find(g.query), func(s Slot) bool { return same(s.Value, g.typed.value) }) {
			there++
		}
		if g.right() {
			best++
		}
		switch sure := g.confidence >= Sure; {
		case sure && g.right():
			found++
		case sure && g.part():
			part++
			wrong++
		case sure:
			wrong++
		}
	}
	n := float64(len(answers))
	percent := func(k int) float64 { return 100 * float64(k) / n }
	fmt.Printf("slots: %d fields; %.1f %% verbatim in the query, %.1f %% among the slots, %.1f %% the likeliest; of those given and not the same %.1f %% are a part of it or it of them\n",
		len(answers), percent(verbatim), percent(there), percent(best), percent(part))
	fmt.Printf("BAR turn.slots_found_pct ours=%.1f ref=85 ratio=%.3f unit=percent\n", percent(found), percent(found)/85)
	fmt.Printf("BAR turn.slots_wrong_pct ours=%.1f ref=5 ratio=%.3f unit=percent\n", percent(wrong), percent(wrong)/5)
	trade(answers)
}

// trade lists what would be found at other thresholds.
func trade(answers []given) {
	sort.SliceStable(answers, func(i, j int) bool { return answers[i].confidence > answers[j].confidence })
	for _, least := range []float64{0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0} {
		var found, part, wrong int
		for _, g := range answers {
			switch {
			case g.confidence < least:
			case g.right():
				found++
			case g.part():
				part++
			default:
				wrong++
			}
		}
		n := float64(len(answers)) / 100
		fmt.Printf("slots: from confidence %.1f found %.1f, in part %.1f, another %.1f\n", least, float64(found)/n, float64(part)/n, float64(wrong)/n)
	}
}

// BenchmarkTrainSlots writes weights.txt anew from the file QUERIES (`make train-slots`).
func BenchmarkTrainSlots(b *testing.B) {
	if os.Getenv("TRAIN_SLOTS") == "" {
		b.Skip("TRAIN_SLOTS is not set")
	}
	fields := readTyped(b)
	for b.Loop() {
		if err := os.WriteFile("weights.txt", []byte(printed(fit(fields), len(fields))), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// printed is the file of weights. What would be printed as 0 is left out.
func printed(w map[string]float64, fields int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# Weights of the features of feature.go, fitted by `make train-slots QUERIES=file` to %d\n", fields)
	s.WriteString("# fields people filled on websites (Mind2Web, OSU NLP, CC BY 4.0). Made by a program:\n# do not edit.\n")
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if v := math.Round(w[name]*1000) / 1000; v != 0 {
			fmt.Fprintf(&s, "%.3f %s\n", v, name)
		}
	}
	return s.String()
}

package complexity

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/logittest"
)

// task is a line of the file QUERIES: what a person asked for on a website, and the
// steps that did it.
type task struct {
	Website, Query string
	Actions        []string
}

func readTasks(tb testing.TB) []task {
	tb.Helper()
	f, err := os.Open(os.Getenv("QUERIES"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []task
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var t task
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			tb.Fatal(err)
		}
		out = append(out, t)
	}
	if lines.Err() != nil || len(out) == 0 {
		tb.Fatalf("%d tasks, %v", len(out), lines.Err())
	}
	return out
}

// The settings of the fit, and where they are from: ridge and the least number of
// websites were chosen among three or four values each by the cross-validation below.
var (
	// bounds are the numbers of steps a task is learnt to be above or not, with weights
	// they share but for one each: what tells eight steps from ten helps to tell five
	// from six.
	bounds = []int{2, 3, 4, 5, 6, 7, 8, 10}
	ridge  = 3.0 * float64(len(bounds))
)

// Websites differ in how many steps they take for anything. While weights are learnt,
// each has one of its own, so that no word has to stand for the website it is used on;
// it is then thrown away.
const (
	website      = "website "
	websiteValue = 1.5
)

// minWebsites is on how many websites a word must occur to be learnt.
const minWebsites = 3

// fit gives the weights that tasks teach.
func fit(tasks []task) map[string]float64 {
	all := make([][]feature, len(tasks))
	websites := map[string]map[string]bool{}
	for i, t := range tasks {
		all[i] = features(t.Query)
		for _, f := range all[i] {
			if websites[f.name] == nil {
				websites[f.name] = map[string]bool{}
			}
			websites[f.name][t.Website] = true
		}
	}
	var examples []logittest.Example
	for i, t := range tasks {
		for _, b := range bounds {
			var yes []logittest.Feature
			for _, f := range all[i] {
				if len(websites[f.name]) >= minWebsites && f.name != "long" {
					yes = append(yes, logittest.Feature{Name: f.name, Value: f.value})
				}
			}
			yes = append(yes, logittest.Feature{Name: boundName(b), Value: 1}, logittest.Feature{Name: website + t.Website, Value: websiteValue})
			e := logittest.Example{Options: [][]logittest.Feature{yes, nil}, Right: []int{1}}
			if len(t.Actions) > b {
				e.Right[0] = 0
			}
			examples = append(examples, e)
		}
	}
	w := logittest.Fit(examples, ridge)
	maps.DeleteFunc(w, func(name string, _ float64) bool {
		return strings.HasPrefix(name, website) || strings.HasPrefix(name, "over ")
	})
	return w
}

func boundName(steps int) string {
	if steps == LongSteps {
		return "long"
	}
	return fmt.Sprintf("over %d", steps)
}

// crossValidated are the probabilities each task gets from the weights of the others,
// those of its own website left out.
func crossValidated(tasks []task, folds int) []float64 {
	websites := make([]string, len(tasks))
	for i, t := range tasks {
		websites[i] = t.Website
	}
	fold := logittest.Folds(websites, folds)
	out := make([]float64, len(tasks))
	for k := range folds {
		var others []task
		for _, t := range tasks {
			if fold[t.Website] != k {
				others = append(others, t)
			}
		}
		w := fit(others)
		for i, t := range tasks {
			if fold[t.Website] == k {
				for _, f := range features(t.Query) {
					out[i] += w[f.name] * f.value
				}
			}
		}
	}
	return out
}

// auc is how often a long task has a higher score than a short one.
func auc(tasks []task, score []float64) float64 {
	pairs, right := 0.0, 0.0
	for i := range tasks {
		for j := range tasks {
			if len(tasks[i].Actions) <= LongSteps || len(tasks[j].Actions) > LongSteps {
				continue
			}
			pairs++
			switch {
			case score[i] > score[j]:
				right++
			case score[i] == score[j]:
				right += 0.5
			}
		}
	}
	return right / pairs
}

// BenchmarkRouter measures how well long tasks are told from short ones on the file
// QUERIES, cross-validated by website, beside the number of words alone. It also says
// how the weights in the repository do, which have seen those tasks if they were made
// of that file, and have not if it is another.
func BenchmarkRouter(b *testing.B) {
	if os.Getenv("QUERIES") == "" {
		b.Skip("QUERIES is not set")
	}
	tasks := readTasks(b)
	for b.Loop() {
		words, stored := make([]float64, len(tasks)), make([]float64, len(tasks))
		for i, t := range tasks {
			words[i] = float64(len(strings.Fields(t.Query)))
			stored[i] = Of(t.Query, nil, page.Page{}).Long
		}
		ours := auc(tasks, crossValidated(tasks, 10))
		fmt.Printf("router: %d tasks; words alone %.3f, stored weights %.3f, five folds %.3f\n",
			len(tasks), auc(tasks, words), auc(tasks, stored), auc(tasks, crossValidated(tasks, 5)))
		fmt.Printf("BAR turn.router_auc ours=%.4f ref=0.90 ratio=%.4f unit=auc\n", ours, ours/0.90)
	}
}

// BenchmarkTrainRouter writes weights.txt anew from the file TRAIN (`make train-router`).
func BenchmarkTrainRouter(b *testing.B) {
	if os.Getenv("TRAIN_ROUTER") == "" {
		b.Skip("TRAIN_ROUTER is not set")
	}
	tasks := readTasks(b)
	for b.Loop() {
		if err := os.WriteFile("weights.txt", []byte(printed(fit(tasks), len(tasks))), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// printed is the file of weights. What would be printed as 0 is left out.
func printed(w map[string]float64, tasks int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# Weights of the features of feature.go for a task of more than %d steps, fitted by\n", LongSteps)
	fmt.Fprintf(&s, "# `make train-router QUERIES=file` to %d tasks of people on websites (Mind2Web, OSU NLP,\n", tasks)
	s.WriteString("# CC BY 4.0). Made by a program: do not edit.\n")
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if v := math.Round(w[name]*1000) / 1000; v != 0 {
			fmt.Fprintf(&s, "%.3f %s\n", v, name)
		}
	}
	return s.String()
}

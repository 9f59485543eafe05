// Package logittest fits the weights of choices: each example is a list of options
// with features, of which some are right, and the probability of an option is the
// exponential of its weighted sum, over those of all. A yes or no is a choice between
// an option and one without features.
//
// Fitting is deterministic: the same examples in the same order give the same weights,
// to the last bit on the same kind of machine. It is for tests and for what makes data
// files; nothing that runs fits.
package logittest

import (
	"maps"
	"math"
	"slices"
)

// Feature is something an option has, and how much of it.
type Feature struct {
	Name  string
	Value float64
}

// Example is a choice that was made.
type Example struct {
	// Group is what it must not be torn from when examples are divided: a website.
	Group   string
	Options [][]Feature
	Right   []int // indexes of Options; an example without is not learnt from
}

// steps is how often all examples are gone through. Weights no longer change in what
// is printed of them after some 250.
const steps = 400

// Fit gives the weights under which the right options are likeliest, less ridge/2
// times the square of every weight.
func Fit(examples []Example, ridge float64) map[string]float64 {
	p := newProblem(examples)
	w := make([]float64, len(p.names))
	m, v, g := make([]float64, len(w)), make([]float64, len(w)), make([]float64, len(w))
	for step := 1; step <= steps; step++ {
		p.gradient(w, ridge, g)
		rate := 0.1 * math.Min(1, 20/float64(step)) // Adam, slower by and by
		c1, c2 := 1-math.Pow(0.9, float64(step)), 1-math.Pow(0.99, float64(step))
		for i := range w {
			m[i] = 0.9*m[i] + 0.1*g[i]
			v[i] = 0.99*v[i] + 0.01*g[i]*g[i]
			w[i] -= rate * (m[i] / c1) / (math.Sqrt(v[i]/c2) + 1e-9)
		}
	}
	out := make(map[string]float64, len(w))
	for i, name := range p.names {
		out[name] = w[i]
	}
	return out
}

type entry struct {
	index int
	value float64
}

type choice struct {
	options [][]entry
	right   []bool
}

// problem is the examples with numbers for names.
type problem struct {
	names   []string
	choices []choice
}

func newProblem(examples []Example) *problem {
	index := map[string]int{}
	for _, e := range examples {
		for _, o := range e.Options {
			for _, f := range o {
				index[f.Name] = 0
			}
		}
	}
	p := &problem{names: slices.Sorted(maps.Keys(index))}
	for i, name := range p.names {
		index[name] = i
	}
	for _, e := range examples {
		if len(e.Right) == 0 {
			continue
		}
		c := choice{right: make([]bool, len(e.Options))}
		for _, o := range e.Options {
			entries := make([]entry, len(o))
			for i, f := range o {
				entries[i] = entry{index[f.Name], f.Value}
			}
			c.options = append(c.options, entries)
		}
		for _, r := range e.Right {
			c.right[r] = true
		}
		p.choices = append(p.choices, c)
	}
	return p
}

// gradient puts into g that of the loss.
func (p *problem) gradient(w []float64, ridge float64, g []float64) {
	for i := range g {
		g[i] = ridge * w[i]
	}
	for _, c := range p.choices {
		all := make([]float64, len(c.options))
		for i, o := range c.options {
			for _, e := range o {
				all[i] += w[e.index] * e.value
			}
		}
		softmax(all)
		right := 0.0
		for i, q := range all {
			if c.right[i] {
				right += q
			}
		}
		for i, q := range all {
			d := q
			if c.right[i] {
				d -= q / math.Max(right, 1e-12)
			}
			for _, e := range c.options[i] {
				g[e.index] += d * e.value
			}
		}
	}
}

func softmax(s []float64) {
	top, sum := slices.Max(s), 0.0
	for i := range s {
		s[i] = math.Exp(s[i] - top)
		sum += s[i]
	}
	for i := range s {
		s[i] /= sum
	}
}

// Folds divides groups into k parts of about as many members each: the fold of each
// group, the largest groups dealt first.
func Folds(groups []string, k int) map[string]int {
	size := map[string]int{}
	for _, g := range groups {
		size[g]++
	}
	names := slices.Sorted(maps.Keys(size))
	slices.SortStableFunc(names, func(a, b string) int { return size[b] - size[a] })
	load, out := make([]int, k), map[string]int{}
	for _, name := range names {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		out[name] = least
		load[least] += size[name]
	}
	return out
}

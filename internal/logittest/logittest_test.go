package logittest_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stepledger/stepledger/internal/logittest"
)

func yes(fs ...logittest.Feature) logittest.Example {
	return logittest.Example{Options: [][]logittest.Feature{fs, nil}, Right: []int{0}}
}

func no(fs ...logittest.Feature) logittest.Example {
	e := yes(fs...)
	e.Right = []int{1}
	return e
}

func TestFit(t *testing.T) {
	t.Parallel()
	bias := logittest.Feature{Name: "bias", Value: 1}
	// Three of four: the weight is the logarithm of 3 where nothing holds it back.
	w := logittest.Fit([]logittest.Example{yes(bias), yes(bias), yes(bias), no(bias)}, 0)
	if math.Abs(w["bias"]-math.Log(3)) > 0.01 {
		t.Errorf("bias %.3f, want %.3f", w["bias"], math.Log(3))
	}
	held := logittest.Fit([]logittest.Example{yes(bias), yes(bias), yes(bias), no(bias)}, 5)
	if held["bias"] <= 0 || held["bias"] >= w["bias"]/2 {
		t.Errorf("held back to %.3f", held["bias"])
	}
}

func TestFit_severalRight(t *testing.T) {
	t.Parallel()
	a, b, c := logittest.Feature{Name: "a", Value: 1}, logittest.Feature{Name: "b", Value: 1}, logittest.Feature{Name: "c", Value: 1}
	e := logittest.Example{Options: [][]logittest.Feature{{a}, {b}, {c}}, Right: []int{0, 2}}
	examples := []logittest.Example{e, e, {Options: e.Options}} // nothing is learnt of the last
	w := logittest.Fit(examples, 0.1)
	if w["b"] >= w["a"] || w["b"] >= w["c"] {
		t.Errorf("weights %v", w)
	}
	if !maps.Equal(w, logittest.Fit(examples, 0.1)) {
		t.Error("the same examples give other weights")
	}
}

func TestFolds(t *testing.T) {
	t.Parallel()
	groups := []string{"a", "a", "a", "b", "b", "c", "d"}
	fold := logittest.Folds(groups, 2)
	size := make([]int, 2)
	for _, g := range groups {
		size[fold[g]]++
	}
	if len(fold) != 4 || size[0]+size[1] != 7 || min(size[0], size[1]) != 3 {
		t.Errorf("folds %v of sizes %v", fold, size)
	}
}

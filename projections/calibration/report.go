package calibration

// Report is what came of the agent's estimates.
type Report struct {
	Checkpoints []Checkpoint `json:"checkpoints" nullable:"false" doc:"Those that were held."`
	Actions     []Decider    `json:"actions" nullable:"false" doc:"The confidence of actions, by who decided them."`
	Chains      Chains       `json:"chains"`
}

// Checkpoint is the figures of a checkpoint. The terms are defined in the comment of the
// package.
type Checkpoint struct {
	Checkpoint        string      `json:"checkpoint" doc:"What is checked: plan, output (of a sub-task) or synthesis (the last message)."`
	Checks            int         `json:"checks"`
	MeanScore         float64     `json:"meanScore"`
	Verdicts          []ByVerdict `json:"verdicts" nullable:"false"`
	Bins              []Bin       `json:"bins" nullable:"false" doc:"One check a task, by its score: the last that passed, or the last of all if none did. It succeeded if the task was completed."`
	Correlation       Correlation `json:"correlation" doc:"Of the scores in bins with the success of the tasks."`
	CatchRate         Rate        `json:"catchRate" doc:"Rejections (RETRY, FAIL) that were right, as the task failed or another check of it passed, of these and of checks that passed in vain, as the task failed."`
	FalsePositiveRate Rate        `json:"falsePositiveRate" doc:"Rejections in tasks that were completed though no check passed, of all checks of tasks that have ended."`
	RetrySuccess      Rate        `json:"retrySuccess" doc:"Checks after a RETRY that passed, of all checks after one."`
	Alerts            []Alert     `json:"alerts" nullable:"false" doc:"Rates past their threshold, each of at least 20 cases."`
}

// ByVerdict is the checks that had the same verdict, by who judged: whoever made it (self) or
// somebody asked to find fault (adversarial).
type ByVerdict struct {
	Option    string  `db:"option" json:"option"`
	Verdict   string  `db:"verdict" json:"verdict" doc:"PASS, RETRY or FAIL."`
	Checks    int     `db:"checks" json:"checks"`
	MeanScore float64 `db:"mean_score" json:"meanScore"`
}

// Bin is the estimates from From up to To, exclusively but for the last one, with what
// happened. Count has those whose outcome is not known, too.
type Bin struct {
	From      float64  `json:"from"`
	To        float64  `json:"to"`
	Count     int      `json:"count"`
	Succeeded int      `json:"succeeded"`
	Failed    int      `json:"failed"`
	Mean      *float64 `json:"mean,omitempty" doc:"Of the estimates whose outcome is known: where they hold it is the share that succeeded."`
}

// binEdges are between the bins.
var binEdges = []float64{0.5, 0.6, 0.7, 0.8, 0.9}

// emptyBins are the bins from 0 to 1.
func emptyBins() []Bin {
	var bins []Bin
	from := 0.0
	for _, to := range append(binEdges[:len(binEdges):len(binEdges)], 1) {
		bins = append(bins, Bin{From: from, To: to})
		from = to
	}
	return bins
}

// Rate is Count cases of Of. Rate is nil if Of is 0.
type Rate struct {
	Count int      `json:"count"`
	Of    int      `json:"of"`
	Rate  *float64 `json:"rate,omitempty" doc:"Absent if there are no cases."`
}

func rateOf(count, of int) Rate {
	r := Rate{Count: count, Of: of}
	if of > 0 {
		rate := float64(count) / float64(of)
		r.Rate = &rate
	}
	return r
}

// MinCorrelated is the number of ended tasks from which on a correlation is given
// (spec: track scores for 100+ queries).
const MinCorrelated = 100

// Correlation is Pearson's. Value is nil if there are fewer than Needed tasks, or if
// scores or outcomes are all the same.
type Correlation struct {
	Of     int      `json:"of" doc:"Ended tasks."`
	Needed int      `json:"needed" doc:"From so many on a value is given."`
	Value  *float64 `json:"value,omitempty"`
}

func correlationOf(value *float64, of int) Correlation {
	c := Correlation{Of: of, Needed: MinCorrelated}
	if of >= MinCorrelated {
		c.Value = value
	}
	return c
}

// MinRated is the number of cases from which on a rate may be an alert: with fewer, one
// case more or less moves it by over five points.
const MinRated = 20

// Alert is a rate past its threshold (spec: Alerts).
type Alert struct {
	Name      string  `json:"name" enum:"lowCatchRate,highFalsePositiveRate,lowRetrySuccess"`
	Severity  string  `json:"severity" enum:"high,medium"`
	Rate      float64 `json:"rate"`
	Threshold float64 `json:"threshold"`
	Of        int     `json:"of" doc:"Cases."`
}

// Thresholds of the alerts, and how severe they are.
const (
	minCatchRate         = 0.60
	maxFalsePositiveRate = 0.15
	minRetrySuccess      = 0.50
	high                 = "high"
	medium               = "medium"
)

func (c Checkpoint) alerts() []Alert {
	alerts := []Alert{}
	note := func(name, severity string, r Rate, threshold float64, isPast func(rate float64) bool) {
		if r.Of >= MinRated && isPast(*r.Rate) {
			alerts = append(alerts, Alert{name, severity, *r.Rate, threshold, r.Of})
		}
	}
	note("lowCatchRate", high, c.CatchRate, minCatchRate, func(r float64) bool { return r < minCatchRate })
	note("highFalsePositiveRate", medium, c.FalsePositiveRate, maxFalsePositiveRate, func(r float64) bool { return r > maxFalsePositiveRate })
	note("lowRetrySuccess", medium, c.RetrySuccess, minRetrySuccess, func(r float64) bool { return r < minRetrySuccess })
	return alerts
}

// Decider is the actions that rules or a model decided, by confidence.
type Decider struct {
	By   string `json:"by" doc:"rules, or the name of a model."`
	Bins []Bin  `json:"bins" nullable:"false"`
}

// Chains are the actions that were sent together.
type Chains struct {
	Chains     int        `json:"chains"`
	MeanLength *float64   `json:"meanLength,omitempty" doc:"In actions; absent without chains."`
	Whole      Rate       `json:"whole" doc:"Those that did not stop, of those that a client has reported on."`
	Recoveries []Recovery `json:"recoveries" nullable:"false" doc:"Those that stopped, by how the task went on."`
}

// Recovery is the chains that went on in the same way after they had stopped.
type Recovery struct {
	Recovery string `db:"recovery" json:"recovery" doc:"retry, skip, regenerate or nothing."`
	Chains   int    `db:"chains" json:"chains"`
}

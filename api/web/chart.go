package web

import (
	"fmt"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/projections/calibration"
)

// chart is bars side by side in a box of Width by Height.
type chart struct {
	Width, Height int
	Bars          []bar
	// Most is what the highest bar stands for.
	Most string
}

type bar struct {
	X, Y, Width, Height float64
	Label               string
}

const (
	chartWidth  = 900
	chartHeight = 160
)

// dayChart has a bar of cost for every day, also for those without any.
func dayChart(groups []api.UsageGroup, from, to time.Time) chart {
	c := chart{Width: chartWidth, Height: chartHeight, Most: "0"}
	cost := map[string]string{}
	most := 0.0
	for _, g := range groups {
		if cost[g.Key] = g.CostUSD; amount(g.CostUSD) > most {
			most, c.Most = amount(g.CostUSD), g.CostUSD
		}
	}
	n := int(to.Sub(from) / day)
	step := float64(chartWidth) / float64(n)
	for i := range n {
		d := from.Add(time.Duration(i) * day).Format(time.DateOnly)
		spent, ok := cost[d]
		if !ok {
			spent = "0"
		}
		height := percent(amount(spent), most) / 100 * (chartHeight - 4)
		c.Bars = append(c.Bars, bar{float64(i)*step + step*0.1, chartHeight - height, step * 0.8, height, fmt.Sprintf("%s: $%s", d, spent)})
	}
	return c
}

// reliability is a bar for each bin: how often what was estimated there came true,
// beside what it would be if the estimates held.
type reliability struct {
	Width, Height int
	Bins          []reliabilityBin
}

type reliabilityBin struct {
	calibration.Bin
	Bar bar
	// Wanted is the height of a line where the bar would end if the estimates held.
	Wanted float64
}

// Right is where the bar ends.
func (b reliabilityBin) Right() float64 { return b.Bar.X + b.Bar.Width }

const reliabilitySize = 180

func reliabilityOf(bins []calibration.Bin) reliability {
	r := reliability{Width: 2 * reliabilitySize, Height: reliabilitySize}
	step := float64(r.Width) / float64(max(1, len(bins)))
	for i, b := range bins {
		known := b.Succeeded + b.Failed
		out := reliabilityBin{Bin: b, Wanted: reliabilitySize * (1 - (b.From+b.To)/2)}
		if b.Mean != nil {
			out.Wanted = reliabilitySize * (1 - *b.Mean)
		}
		share := percent(float64(b.Succeeded), float64(known)) / 100
		out.Bar = bar{float64(i)*step + 3, reliabilitySize * (1 - share), step - 6, reliabilitySize * share,
			fmt.Sprintf("estimated %.2f to %.2f: %d of %d came true", b.From, b.To, b.Succeeded, known)}
		r.Bins = append(r.Bins, out)
	}
	return r
}

// amount is a decimal as a number to draw with; what is shown is the decimal itself.
func amount(decimal string) float64 {
	f, err := strconv.ParseFloat(decimal, 64)
	if err != nil {
		return 0
	}
	return f
}

// percent of a whole, 0 of nothing.
func percent(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * part / whole
}

func decimal(n int) string { return strconv.Itoa(n) }

package main

import (
	"slices"
	"testing"
)

// A port that is configured is asked beside those of http and https.
func TestCrawling_Ports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		configured []int
		want       []uint16
	}{
		{nil, []uint16{80, 443}}, {[]int{8080, 8443}, []uint16{80, 443, 8080, 8443}},
	} {
		if got := (config{CrawlPorts: c.configured}).crawling().Ports; !slices.Equal(got, c.want) {
			t.Errorf("%v: %v are asked", c.configured, got)
		}
	}
}

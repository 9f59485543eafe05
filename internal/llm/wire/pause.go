package wire

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter is how long the provider asks to wait: in the body, as Google does
// (google.rpc.RetryInfo), or in a header; 0 if neither has a valid wait.
func (x *Exchange) retryAfter() time.Duration {
	d := retryInfo(x.errorBody().Error)
	if d == 0 {
		d = units(x.Header.Get("Retry-After-Ms"), time.Millisecond)
	}
	if after := x.Header.Get("Retry-After"); d == 0 && after != "" {
		d = units(after, time.Second)
		if at, err := http.ParseTime(after); err == nil {
			d = time.Until(at)
		}
	}
	return min(max(d, 0), maxPause)
}

func retryInfo(body json.RawMessage) time.Duration {
	var e struct {
		Details []struct {
			Type       string `json:"@type"`
			RetryDelay string `json:"retryDelay"`
		}
	}
	_ = json.Unmarshal(body, &e) // another form says nothing of waiting
	for _, d := range e.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && strings.HasSuffix(d.Type, "google.rpc.RetryInfo") {
			return wait
		}
	}
	return 0
}

func units(s string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(maxPause)))
}

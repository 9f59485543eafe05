package interact

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// withoutOldEvents drops events of the client's stream ("[12s ago] Added: …") from
// before the turn in which the action under judgement was decided: they cannot be its
// effect. Events without an age are kept.
func (in incoming) withoutOldEvents(lease time.Duration) incoming {
	s := in.at.State
	j, open := s.UnderJudgement()
	if _, a, pending := s.Pending(); !open && pending {
		j.Attempt, open = a, true
	}
	if !open || j.LeaseUntil.IsZero() || in.ReceivedAt.IsZero() {
		return in
	}
	most := in.ReceivedAt.Sub(j.LeaseUntil.Add(-lease)) + time.Second // ages are in whole seconds
	in.Witness.RecentEvents = slices.DeleteFunc(slices.Clone(in.Witness.RecentEvents), func(event string) bool {
		age, known := ageOf(event)
		return known && age > most
	})
	return in
}

// ageOf reads how long ago an event was.
func ageOf(event string) (time.Duration, bool) {
	inside, ok := strings.CutPrefix(event, "[")
	if !ok {
		return 0, false
	}
	inside, _, ok = strings.Cut(inside, "s ago]")
	if !ok {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(inside), 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

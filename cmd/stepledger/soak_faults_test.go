package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"time"
)

// trouble is something that goes wrong: at once, or until it is ended.
type trouble struct {
	name string
	// begin does it to a server or, for 2, to both; by is a time that is drawn. It returns
	// what ends it, nil for nothing.
	begin func(s *soak, who int, by time.Duration) (end func())
}

// due is a trouble on the schedule.
type due struct {
	trouble
	at, lasts time.Duration
	who       int
	by        time.Duration
}

func (d due) String() string {
	return fmt.Sprintf("%v +%v %s (server %d, %v)", d.at.Round(time.Second), d.lasts.Round(time.Second), d.name, d.who, d.by)
}

func troubles() []trouble {
	return []trouble{
		{"a model that hangs", inMood(moodHangs)},
		{"429 with Retry-After", inMood(moodBusy)},
		{"429 without it", inMood(moodBusyMute)},
		{"500 of the model", inMood(moodBroken)},
		{"answers cut short", inMood(moodCutsShort)},
		{"a fast restart of Postgres", restarts(syscall.SIGINT)},
		{"an immediate restart of Postgres", restarts(syscall.SIGQUIT)},
		{killName, kills},
		{"a full disk", fillsDisk},
		{"a clock some minutes ahead", steps(1)},
		{"a clock an hour ahead", func(s *soak, who int, _ time.Duration) func() { return steps(1)(s, who, time.Hour) }},
		{"a clock some minutes behind", steps(-1)},
		{"cut connections of clients", func(s *soak, who int, _ time.Duration) func() {
			return s.cut(who, func(r *replica) *door { return r.door })
		}},
		{"cut connections to Postgres", func(s *soak, who int, _ time.Duration) func() {
			return s.cut(who, func(r *replica) *door { return r.toDB })
		}},
	}
}

const killName = "kill -9 of a server"

// schedule has every trouble once in a round of nine minutes, or in the whole time if that
// is less, in an order that is drawn; the last tenth of the time is quiet. After the first
// quarter only the first server is killed, so that the other is old enough to be measured.
func schedule(draw *rand.Rand, lasts time.Duration) (all []due) {
	rounds, kinds := max(1, int(lasts/(9*time.Minute))), troubles()
	part := func(most time.Duration) time.Duration { return time.Duration(draw.Int64N(int64(most))) }
	slot := lasts * 9 / 10 / time.Duration(rounds*len(kinds))
	for range rounds {
		for _, i := range draw.Perm(len(kinds)) {
			d := due{
				trouble: kinds[i], at: slot*time.Duration(len(all)) + part(slot/4), lasts: slot/4 + part(slot/4),
				who: draw.IntN(3), by: time.Minute + part(9*time.Minute).Round(time.Second),
			}
			if d.name == killName {
				d.who %= 2
				if d.at > lasts/4 {
					d.who = 0
				}
			}
			all = append(all, d)
		}
	}
	return all
}

// sufferAll lets happen what is on the schedule, and waits until the load has lasted.
func (s *soak) sufferAll(ctx context.Context) {
	all := schedule(s.draws(0), s.lasts)
	for _, d := range all {
		s.Log(d)
	}
	began := time.Now()
	for _, d := range all {
		sleepUntil(ctx, began.Add(d.at))
		s.during(d.name)
		s.say("%s", d.name)
		if end := d.begin(s, d.who, d.by); end != nil {
			sleepUntil(ctx, began.Add(d.at+d.lasts))
			end()
		}
	}
	steps(1)(s, 2, 0)
	s.during("the quiet after the last fault")
	sleepUntil(ctx, began.Add(s.lasts))
}

func sleepUntil(ctx context.Context, at time.Time) {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func inMood(mood int32) func(*soak, int, time.Duration) func() {
	return func(s *soak, _ int, _ time.Duration) func() {
		s.model.mood.Store(mood)
		return func() { s.model.mood.Store(moodFine) }
	}
}

func restarts(how syscall.Signal) func(*soak, int, time.Duration) func() {
	return func(s *soak, _ int, _ time.Duration) func() {
		s.db.restart(s, how)
		return nil
	}
}

func kills(s *soak, who int, _ time.Duration) func() {
	r := s.each[who]
	r.child.kill()
	r.kills++
	r.start(s)
	s.say("server %d is back as %s", who, r.child.instance)
	return nil
}

func fillsDisk(s *soak, _ int, _ time.Duration) func() {
	if s.db.noDisk != nil {
		s.say("left out: %v", s.db.noDisk)
		return nil
	}
	if !s.db.fill(s) {
		s.found("the disk is full, and Postgres takes what is written")
	}
	return func() {
		if s.db.free(s) {
			s.say("Postgres had ended for want of room")
		}
	}
}

// steps sets clocks wrong, until they are set again.
func steps(sign time.Duration) func(*soak, int, time.Duration) func() {
	return func(s *soak, who int, by time.Duration) func() {
		for i, r := range s.each {
			if who == i || who == 2 {
				next := r.clock + ".next"
				if err := os.WriteFile(next, []byte((sign * by).String()), 0o600); err != nil {
					s.Fatal(err)
				}
				if err := os.Rename(next, r.clock); err != nil {
					s.Fatal(err)
				}
			}
		}
		return nil
	}
}

// cut ends connections at once, of one server or both.
func (s *soak) cut(who int, of func(*replica) *door) func() {
	var cut []int
	for i, r := range s.each {
		if who == i || who == 2 {
			cut = append(cut, of(r).cut())
		}
	}
	s.say("cut: %v", cut)
	return nil
}

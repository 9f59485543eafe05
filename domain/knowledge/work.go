package knowledge

import (
	"slices"
	"time"
)

// Work is the next thing to do for a source. At most one of its fields is set.
type Work struct {
	// ForgetSource: keys and bytes of the source, which was removed, are to be destroyed.
	ForgetSource bool
	// Forget are versions whose keys are to be destroyed, and Unused bytes nobody else has.
	Forget []string
	Unused []string
	// Read is a document to be read.
	Read *Document
	// Visit is a page to be visited.
	Visit *Found
	// Finish: the running crawl has come to its end.
	Finish bool
	// Recrawl: the next crawl is due.
	Recrawl bool
	// Reread are documents that an older reader has read.
	Reread []string
}

// None reports that there is nothing to do.
func (w Work) None() bool {
	return !w.ForgetSource && len(w.Forget) == 0 && w.Read == nil && w.Visit == nil && !w.Finish && !w.Recrawl && len(w.Reread) == 0
}

// forgetBatch bounds the versions that are forgotten at a time.
const forgetBatch = 200

// Next is the next thing to do, at a time. What is to be gone comes first.
func (s State) Next(now time.Time) Work {
	switch {
	case !s.Exists || s.Forgotten:
		return Work{}
	case s.Removed:
		return Work{ForgetSource: true}
	}
	if versions, unused := s.forgettable(now); len(versions) > 0 {
		return Work{Forget: versions, Unused: unused}
	}
	if len(s.Waiting) > 0 {
		return Work{Read: s.pending(s.Waiting[0])}
	}
	k := s.Crawl
	switch {
	case k == nil:
	case k.Running && len(k.Frontier) > 0 && !s.Full() && k.Failing < MaxFailing:
		return Work{Visit: &k.Frontier[0]}
	case k.Running:
		return Work{Finish: true}
	case s.EverySeconds > 0 && !now.Before(s.Due()):
		return Work{Recrawl: true}
	}
	return Work{Reread: s.stale()}
}

// rereadBatch bounds the documents that are read anew at a time.
const rereadBatch = 100

// stale are documents that an older reader has read.
func (s State) stale() []string {
	var out []string
	for id, d := range s.Documents {
		if d.stale() {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), rereadBatch)]
}

func (d *Document) stale() bool {
	return (d.Status == Indexed || d.Status == Empty || d.Status == Refused) && d.Reader < ReaderVersion
}

// Due is when the next crawl begins, the zero time for never.
func (s State) Due() time.Time {
	if s.EverySeconds == 0 || s.Crawl == nil || s.Crawl.Running || s.Removed {
		return time.Time{}
	}
	return s.Crawl.FinishedAt.Add(time.Duration(s.EverySeconds) * time.Second)
}

// forgettable are old versions whose time is up, and the bytes that no version is left
// with once they are forgotten.
func (s State) forgettable(now time.Time) (versions, unused []string) {
	uses := map[string]int{}
	for _, o := range s.old {
		if len(versions) == forgetBatch {
			break
		}
		if !o.now && now.Before(o.since.Add(KeepOld)) {
			continue
		}
		versions = append(versions, o.version)
		uses[o.bytes]++
	}
	for bytes, n := range uses {
		if n >= s.uses[bytes] {
			unused = append(unused, bytes)
		}
	}
	slices.Sort(unused)
	return versions, unused
}

// Versions are the ids of all versions the source ever had.
func (s State) Versions() []string {
	var out []string
	for id, d := range s.Documents {
		for n := 1; n <= d.Number; n++ {
			out = append(out, VersionID(id, n))
		}
	}
	slices.Sort(out)
	return out
}

// SeenIn counts the documents that are removed with a task.
func (s State) SeenIn(task string) int { return len(s.seenIn(task)) }

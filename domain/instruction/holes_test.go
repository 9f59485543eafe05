package instruction

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// BenchmarkHoles measures the share of words that end in holes: of the instructions of
// testdata, or of the tasks of the file QUERIES, a JSON object with a query a line.
// Those are what people asked of real sites, most of them goals and not instructions.
func BenchmarkHoles(b *testing.B) {
	queries := instructions(b)
	if name := os.Getenv("QUERIES"); name != "" {
		queries = readQueries(b, name)
	}
	var unread, all int
	for b.Loop() {
		unread, all = 0, 0
		for _, q := range queries {
			u, n := Read(q).UnreadWords()
			unread, all = unread+u, all+n
		}
	}
	b.StopTimer()
	share := 100 * float64(unread) / float64(all)
	fmt.Printf("BAR agent.words_in_holes_pct ours=%.1f ref=100 ratio=%.3f unit=%%\n", share, share/100)
}

func readQueries(b *testing.B, name string) (queries []string) {
	b.Helper()
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var task struct{ Query string }
		if err := json.Unmarshal(lines.Bytes(), &task); err != nil {
			b.Fatal(err)
		}
		queries = append(queries, task.Query)
	}
	if err := lines.Err(); err != nil || len(queries) == 0 {
		b.Fatal("no query in the file: ", err)
	}
	return queries
}

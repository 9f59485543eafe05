package instruction

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// BenchmarkHoles measures the share of words that end in holes over the tasks of the
// file QUERIES, a JSON object with a query a line. They are what people asked of real
// sites, most of them goals and not instructions.
func BenchmarkHoles(b *testing.B) {
	f, err := os.Open(os.Getenv("QUERIES"))
	if err != nil {
		b.Skip("QUERIES names no file of tasks: ", err)
	}
	defer f.Close()
	var queries []string
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
	var unread, all int
	for b.Loop() {
		unread, all = 0, 0
		for _, q := range queries {
			p := Read(q)
			u, n := p.UnreadWords()
			unread, all = unread+u, all+n
		}
	}
	share := 100 * float64(unread) / float64(all)
	fmt.Printf("BAR agent.words_in_holes_pct ours=%.1f ref=100 ratio=%.3f unit=%%\n", share, share/100)
}

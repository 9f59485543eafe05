package extract_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

// role says what the test binary is when a Sandbox executes it.
const role = "EXTRACT_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "reader":
		read()
	case "hog":
		go mute()
		var held [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := range b {
				b[i] = 1
			}
			held = append(held, b)
			time.Sleep(time.Millisecond)
			_ = held
		}
	case "loop":
		go mute()
		for n := 0; ; n++ {
			_ = n
		}
	case "crash":
		panic("a parser that fails")
	case "flood":
		line := fmt.Sprintf("%1048576d", 7)
		for {
			if _, err := os.Stdout.WriteString(line); err != nil {
				os.Exit(0)
			}
		}
	case "nonsense":
		fmt.Println("Segmentation fault")
	case "failed":
		fmt.Println(`{"failed":"no engine"}`)
	case "silent":
	case "pages":
		fmt.Println(`{"page":1,"of":2}`)
		fmt.Println(`{"page":2,"of":2}`)
		fmt.Println(`{"read":{"type":"text","blocks":[{"kind":"paragraph","text":"done"}]}}`)
	case "orphan":
		// It says who it is and then only waits for the end of its input.
		r := bufio.NewReader(os.Stdin)
		_, _ = r.ReadString('\n')
		fmt.Printf("{\"page\":%d,\"of\":1}\n", os.Getpid())
		for {
			if _, err := r.ReadByte(); err != nil {
				os.Exit(0)
			}
		}
	}
}

func read() {
	if err := extract.Main(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// mute sets the bounds and reads, but its answer is lost.
func mute() { _ = extract.Main(os.Stdin, io.Discard) }

func sandbox(as string) extract.Sandbox {
	return extract.Sandbox{Env: []string{role + "=" + as}}
}

// cacheDir keeps the compiled PDF engine from one run of the tests to the next.
func cacheDir(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "stepledger", "pdf-engine")
}

package content

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// rows is a page of a table of some 150 bytes a row.
func rows(n int, cell func(i int) string) []byte {
	draw := rand.New(rand.NewPCG(7, 7))
	word := func() string {
		b := make([]byte, 4+draw.IntN(7))
		for i := range b {
			b[i] = "etaoinshrdlucmfw"[draw.IntN(16)]
		}
		return string(b)
	}
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `<tr class=\"row-%d\" data-llm-id=\"%d\"><td>%s %s</td><td>%s</td><td><button type=\"button\" aria-label=\"Open\">Open</button></td></tr>\n`,
			i%7, i, word(), word(), cell(i))
	}
	return b.Bytes()
}

func number(by, from int) func(int) string {
	return func(i int) string { return strconv.Itoa(i*by + from) }
}

func roundTrip(t testing.TB, body, previous []byte) (packed []byte) {
	t.Helper()
	packed, err := compress(body, previous)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decompress(packed, previous)
	if err != nil || !bytes.Equal(got, body) {
		t.Fatalf("%d bytes against %d come back as %d, %v", len(body), len(previous), len(got), err)
	}
	return packed
}

func TestCompress_againstThePageBefore(t *testing.T) {
	t.Parallel()
	before := rows(1300, number(37, 0))
	for name, c := range map[string]struct {
		body []byte
		most int
	}{
		"the same page":        {before, 100},
		"changed in one place": {bytes.Replace(before, []byte("row-3"), []byte("row-selected"), 1), 200},
		"changed throughout":   {rows(1300, number(37, 11)), 5_000},
		"longer throughout":    {rows(1300, number(3700, 11)), 12_000},
		"a row more":           {slicesTogether(before[:70_000], []byte("<tr>new</tr>"), before[70_000:]), 200},
		"halves exchanged":     {slicesTogether(before[100_000:], before[:100_000]), 400},
		"nothing":              {nil, 50},
		"one byte":             {[]byte("x"), 50},
	} {
		if packed := roundTrip(t, c.body, before); len(packed) > c.most {
			t.Errorf("%s: %d bytes, want %d at most", name, len(packed), c.most)
		}
		roundTrip(t, before, c.body)
	}
}

func slicesTogether(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Blobs from before there were deltas are read for ever.
func TestDecompress_dictionaryFrames(t *testing.T) {
	t.Parallel()
	before, body := rows(300, number(37, 0)), rows(300, number(37, 11))
	old, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderDictRaw(dictionaryID, before))
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if got, err := decompress(old.EncodeAll(body, nil), before); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func FuzzCompress(f *testing.F) {
	long := strings.Repeat("<li>one</li><li>two</li>", 40)
	for _, pair := range [][2]string{{"", ""}, {"a", ""}, {"", "a"}, {long, long}, {long + "x", long}, {"x" + long, long}, {long[:300] + "changed" + long[310:], long}, {long, "<li>two</li>" + long}} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, body, previous []byte) {
		roundTrip(t, body, previous)
		// A delta that is damaged, or of another page, is an error or another page, and no more.
		_, _ = applyDelta(body, previous)
		if got, err := applyDelta(makeDelta(body, previous), body); err == nil && len(got) != len(body) {
			t.Errorf("a delta of %d bytes gives %d", len(body), len(got))
		}
	})
}

// Whatever is cut out, put in and moved, the page comes back.
func TestCompress_edits(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	previous := rows(60, number(37, 0))
	for range 400 {
		body := bytes.Clone(previous)
		for range draw.IntN(20) {
			at := draw.IntN(len(body) + 1)
			end := at + draw.IntN(min(300, len(body)-at)+1)
			piece := bytes.Clone(body[at:end])
			if draw.IntN(2) == 0 {
				piece = rows(draw.IntN(3), number(draw.IntN(1000), draw.IntN(1000)))
			}
			to := draw.IntN(len(body) + 1)
			if draw.IntN(3) == 0 {
				body = slicesTogether(body[:at], body[end:])
				to = min(to, len(body))
			}
			body = slicesTogether(body[:to], piece, body[to:])
		}
		roundTrip(t, body, previous)
		previous = body[:min(len(body), 20_000)]
	}
}

// BenchmarkCompress says what a page of 200 kB costs.
func BenchmarkCompress(b *testing.B) {
	before := rows(1320, number(37, 0))
	for name, c := range map[string]struct{ body, previous []byte }{
		"whole":      {before, nil},
		"one change": {bytes.Replace(before, []byte("row-3"), []byte("row-selected"), 1), before},
		"throughout": {rows(1320, number(37, 11)), before},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			size := 0
			for b.Loop() {
				packed, err := compress(c.body, c.previous)
				if err != nil {
					b.Fatal(err)
				}
				size = len(packed)
			}
			b.ReportMetric(float64(size)/1000, "kB")
		})
	}
}

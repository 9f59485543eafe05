// Package leaktest looks for texts that must not be anywhere: those of somebody who was
// erased, and secrets. It looks through every table of a database as it is, whatever
// tables there will be, into what is compressed or encoded as well, and knows the ways in
// which a text is written in JSON, HTML and addresses. It is for tests only.
//
// It does not decrypt: what is sealed counts as hidden.
package leaktest

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"
)

// Markers are texts to look for, by what they are.
type Markers map[string]string

// Find reports, as an error of the test, each marker that a text holds, and returns how
// many it holds. Case does not matter.
func (m Markers) Find(t testing.TB, where, text string) (hits int) {
	t.Helper()
	for _, what := range m.In(text) {
		hits++
		i := indexOf(strings.ToLower(text), m[what])
		t.Errorf("%s: %s is in it: …%s…", where, what, text[max(0, min(i, len(text))-200):min(len(text), max(i, 0)+100)])
	}
	return hits
}

// In lists the markers that a text holds.
func (m Markers) In(text string) (found []string) {
	lower := strings.ToLower(text)
	for _, what := range slices.Sorted(maps.Keys(m)) {
		if indexOf(lower, m[what]) >= 0 {
			found = append(found, what)
		}
	}
	return found
}

// indexOf finds a marker in any of the ways it may be written; -1 is nowhere.
func indexOf(lower, marker string) int {
	for _, form := range forms(marker) {
		if i := strings.Index(lower, strings.ToLower(form)); i >= 0 {
			return i
		}
	}
	return -1
}

func forms(marker string) []string {
	quoted, _ := json.Marshal(marker) // a string always encodes
	all := []string{
		marker, strings.Trim(string(quoted), `"`), html.EscapeString(marker), url.QueryEscape(marker), url.PathEscape(marker),
		hex.EncodeToString([]byte(marker)),
	}
	return append(all, inBase64(marker)...)
}

// inBase64 is the marker as it stands within a longer text in base64: what it looks like
// depends on where it begins, and its ends on what is beside it.
func inBase64(marker string) (all []string) {
	const least = 8 // shorter than this is found by chance
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString(append(make([]byte, shift), marker...))
		from, to := (shift*8+5)/6, (shift+len(marker))*8/6
		if to-from >= least {
			all = append(all, text[from:to])
		}
	}
	return all
}

// Tables is what every table of a database holds, by schema, table and column: rows as
// text, and of bytes everything that can be read of them.
func Tables(t testing.TB, address string) map[string]string {
	t.Helper()
	ctx := context.Background()
	db, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	out := map[string]string{}
	for _, c := range columns(t, db) {
		var all strings.Builder
		if c.Type == "bytea" {
			for _, b := range collect[[]byte](t, db, "select "+c.Name+" from "+c.Table+" where "+c.Name+" is not null") {
				all.WriteString(Readable(b))
				all.WriteByte('\n')
			}
		} else {
			all.WriteString(strings.Join(collect[string](t, db, "select coalesce("+c.Name+"::text, '') from "+c.Table), "\n"))
		}
		out[c.Table+"."+c.Name] = all.String()
	}
	return out
}

// Text is Tables as one text.
func Text(tables map[string]string) string {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		fmt.Fprintf(&all, "\n%s: %s", name, tables[name])
	}
	return all.String()
}

type column struct{ Table, Name, Type string }

// columns are all but those of times, of all schemas but the server's own.
func columns(t testing.TB, db *pgx.Conn) []column {
	t.Helper()
	rows, err := db.Query(context.Background(), `
		select quote_ident(table_schema) || '.' || quote_ident(table_name), quote_ident(column_name), data_type
		from information_schema.columns join information_schema.tables using (table_schema, table_name)
		where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') and data_type not like 'timestamp%'`)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func collect[T any](t testing.TB, db *pgx.Conn, sql string) []T {
	t.Helper()
	rows, err := db.Query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return values
}

// maxUnpacked bounds what a few bytes may unpack to.
const maxUnpacked = 64 << 20

// Readable is what can be read of bytes: themselves, and unpacked by zstd or deflate,
// also behind one byte that says so.
func Readable(b []byte) string {
	all := []string{string(b)}
	for _, packed := range [][]byte{b, b[min(1, len(b)):]} {
		if plain, err := unzstd(packed); err == nil {
			all = append(all, string(plain))
		}
		if plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxUnpacked)); len(plain) > 0 && err == nil {
			all = append(all, string(plain))
		}
	}
	return strings.Join(all, "\n")
}

func unzstd(packed []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}

// Output collects what is written, by any number of goroutines: a process's log.
type Output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(b)
}

// String is all that was written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

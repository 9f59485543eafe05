package leaktest_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"

	"github.com/stepledger/stepledger/internal/leaktest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

const marker = `Zer"zura & Thule/9`

var markers = leaktest.Markers{"a name": marker, "another": "zanzibar"}

// A marker is found in every way a text may be written.
func TestMarkers_Find(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal(map[string]string{"x": marker})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"as it is": marker, "another case": strings.ToUpper(marker), "JSON": string(quoted), "HTML": html.EscapeString(marker),
		"a query": url.QueryEscape(marker), "a path": url.PathEscape(marker), "hex": hex.EncodeToString([]byte(marker)),
	}
	for _, before := range []string{"", "a", "ab", "abc"} {
		texts["base64 after "+before] = base64.StdEncoding.EncodeToString([]byte(before + marker + "tail"))
	}
	for how, text := range texts {
		if found := markers.In("… " + text + " …"); !slices.Equal(found, []string{"a name"}) {
			t.Errorf("%s: found %v in %q", how, found, text)
		}
	}
	if found := markers.In("Zer zura and Thule"); found != nil {
		t.Errorf("found %v where there is none", found)
	}
}

func deflated(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll([]byte(text), nil)
}

// Whatever table there is, its rows are looked through, and into what is packed in them.
func TestTables(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), `create schema s; create table s."A b" (id int, doc jsonb, words text[], raw bytea, at timestamptz default now())`)
	if err != nil {
		t.Fatal(err)
	}
	const insert = `insert into s."A b" (id, doc, words, raw) values ($1, $2, $3, $4)`
	packed := zipped(t, "a "+marker)
	for i, row := range [][]any{
		{1, `{"k":["zanzibar"]}`, nil, nil}, {2, nil, []string{"zanzibar"}, nil}, {3, nil, nil, []byte("x zanzibar")},
		{4, nil, nil, packed}, {5, nil, nil, append([]byte{1}, deflated(t, marker)...)}, {6, nil, nil, deflated(t, marker)},
	} {
		if _, err := db.Exec(t.Context(), `truncate s."A b"`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(t.Context(), insert, row...); err != nil {
			t.Fatal(err)
		}
		tables := leaktest.Tables(t, url)
		if found := markers.In(leaktest.Text(tables)); len(found) != 1 || len(tables) != 4 {
			t.Errorf("row %d: found %v in %d columns: %q", i, found, len(tables), tables)
		}
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	var o leaktest.Output
	_, _ = o.Write([]byte("zan"))
	_, _ = o.Write([]byte("zibar"))
	if found := markers.In(o.String()); len(found) != 1 {
		t.Errorf("%v", found)
	}
}

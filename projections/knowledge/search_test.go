package knowledge_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/knowledge"
	read "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/projtest"
)

const (
	reset    = "The net::ERR_CONN_RESET error means that the server closed the connection."
	refund   = "Refunds are paid within fourteen days after we received the goods."
	invoices = "Rechnungen sind innerhalb von 14 Tagen zahlbar und werden per Post verschickt."
	austria  = "Die Lieferung nach Österreich dauert länger als üblich, die Kosten trägt der Kunde."
	capital  = "東京都は日本の首都であり、世界最大の都市圏の一つである。"
	thai     = "ประเทศไทยมีกรุงเทพมหานครเป็นเมืองหลวง"
	billing  = "Bonjour le monde, la facturation est mensuelle pour les clients."
	korean   = "대한민국의 수도는 서울이며 인구가 가장 많다."
	russian  = "Ёлки продаются до конца декабря, возврат не принимается."
	gift     = "You can get your money back for a gift card at any store for ninety days."
)

func TestSearch_FindsInEveryLanguage(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	l.add("a.txt", reset, refund, gift)
	l.add("b.txt", invoices, austria)
	l.add("c.txt", capital, thai, billing, korean, russian)
	for question, want := range map[string]string{
		"ERR_CONN_RESET": reset, "err conn reset": reset, "ERR_CONN_RSET": reset, "errconnreset": reset,
		"Rechnugen zahlbar": invoices, "Rechnung": invoices, "zahlbare Rechnungen?": invoices,
		"Osterreich": austria, "ÖSTERREICH": austria, "Oesterreich dauern Lieferungen": austria,
		"how do I get my money back for a gift card?": gift,
		"refunded": refund, "日本の首都": capital, "首都": capital, "เมืองหลวง": thai, "facturations": billing, "수도": korean, "елка": russian, "ёлки": russian,
	} {
		if got := first(find(t, e, q, question)); got != want {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
}

func TestSearch_AnyTextIsAQuestion(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	source(e).add("a.txt", reset, refund)
	for _, text := range []string{
		"", " ", "\x00", "the", "a' & | ! <-> \\ ) ( \x00 :*", "'; drop table chunk; --", "\xff\xfe refunds", "!!", "&", "'", `\`, `\'`, "%s %d", "@", "@t",
		"refunds:* & !goods", "$1", "@tenant", "\u200b", "\u0301", "ー", "́a", string(make([]byte, 20_000)),
	} {
		find(t, e, q, text)
	}
	if got := first(find(t, e, q, "\xff\x00 (refunds' & ")); got != refund {
		t.Errorf("among garbage a word finds %q", got)
	}
	if got := find(t, e, q, "refunds'x"); len(got) == 0 {
		t.Error("a quote hides a word")
	}
	long := ""
	for len(long) < 100_000 {
		long += "refunds unknownword " + reset
	}
	if len(find(t, e, q, long)) == 0 {
		t.Error("a long question finds nothing")
	}
	if got := find(t, e, q, "completely different xylophone"); len(got) != 0 {
		t.Errorf("what nobody wrote of finds %q", got)
	}
}

func TestSearch_TenantsFindTheirOwn(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	source(e).add("a.txt", refund)
	other := e.Of(otherTenant)
	source(other).add("a.txt", gift)
	if got := find(t, e, q, "refunds gift card"); !slices.Equal(got, []string{refund}) {
		t.Errorf("%s finds %q", e.Tenant, got)
	}
	if got := find(t, other, q, "refunds gift card"); !slices.Equal(got, []string{gift}) {
		t.Errorf("%s finds %q", otherTenant, got)
	}
	hits, err := q.Search(projtest.For(t.Context(), otherTenant), read.Query{Tenant: e.Tenant, Text: "refunds"})
	if err != nil || len(hits) != 0 {
		t.Errorf("asking in another's name finds %v, %v", hits, err)
	}
}

func TestSearch_SaysWhatItFoundAndWhy(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	version := l.add("a.txt", reset, refund)
	l.env.CatchUp(all...)
	hits, err := q.Search(projtest.For(t.Context(), e.Tenant), read.Query{Tenant: e.Tenant, Text: "refunds paied", Explain: true})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%v, %v", hits, err)
	}
	h := hits[0]
	want := read.Hit{
		Chunk: version + ".1", Tenant: e.Tenant, Source: l.source, SourceName: "handbook", Document: l.document("a.txt"), Version: version, Ord: 1,
		Title: "About a.txt", Path: "a.txt", Headings: []string{"About a.txt"}, Page: 2, From: 0, To: len(refund), Text: refund,
		Score: h.Score, ReceivedAt: h.ReceivedAt, CheckedAt: h.CheckedAt, IndexedAt: h.IndexedAt, Why: h.Why,
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
	if h.IndexedAt.IsZero() || h.ReceivedAt.IsZero() || h.CheckedAt.Before(h.ReceivedAt) {
		t.Errorf("received %v, checked %v, indexed %v", h.ReceivedAt, h.CheckedAt, h.IndexedAt)
	}
	if h.Why == nil || h.Why.ByWords != 1 || len(h.Why.Words) == 0 || h.Why.Words[0].Word != "refunds" || h.Why.Words[0].Weight <= 0 {
		t.Errorf("why: %+v", h.Why)
	}
}

func TestSearch_BoundedToAHost(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	shop := source(e, func(s *knowledge.SourceAdded) { s.Domains = []string{"shop.example", "*.shop.example"} })
	shop.add("a.txt", "Coupons of the shop are valid for a year.")
	bank := source(e, func(s *knowledge.SourceAdded) { s.Domains = []string{"bank.example"} })
	bank.add("a.txt", "Coupons of a bond are paid every year.")
	for _, c := range []struct {
		host    string
		sources []string
		want    int
	}{{"", nil, 2}, {"www.shop.example", nil, 1}, {"bank.example", nil, 1}, {"other.example", nil, 0}, {"", []string{bank.source}, 1}, {"shop.example", []string{bank.source}, 0}, {"", []string{"'"}, 0}} {
		if got := findWith(t, e, q, read.Query{Text: "coupons", Host: c.host, Sources: c.sources}); len(got) != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	ctx := projtest.For(t.Context(), e.Tenant)
	for host, want := range map[string]bool{"": true, "shop.example": true, "other.example": false} {
		if has, err := q.HasChunks(ctx, e.Tenant, host); err != nil || has != want {
			t.Errorf("HasChunks of %q: %v, %v", host, has, err)
		}
	}
	source(e) // about every host, and empty
	e.CatchUp(all...)
	if has, err := q.HasChunks(ctx, e.Tenant, "other.example"); err != nil || has {
		t.Errorf("HasChunks of an empty source: %v, %v", has, err)
	}
}

func TestSearch_EqualTextsOnceAndFreshFirst(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	l.add("a.txt", refund, gift)
	l.add("b.txt", refund)
	if got := find(t, e, q, "refunds"); !slices.Equal(got, []string{refund}) {
		t.Errorf("equal texts: %q", got)
	}
	seen := source(e, func(s *knowledge.SourceAdded) { s.Kind = knowledge.Seen })
	page := func(path string, phase knowledge.Phase, text string) {
		version := seen.receive(path, func(d *knowledge.DocumentReceived) { d.Phase, d.Path, d.Task = phase, "", "t1" })
		seen.text(version, knowledge.TextAdded{
			Source: seen.source, Document: seen.document(path), Version: version, Path: "https://site.example/menu", Trigger: "click",
			Chunks: []knowledge.Chunk{{Text: text}},
		})
		seen.indexed(path, 1)
	}
	page("1", knowledge.Initial, "Menu: settings settings settings")
	page("2", knowledge.PostInteraction, "Menu: settings and the whole list of what can be set in the account")
	if got := first(find(t, e, q, "settings")); got != "Menu: settings and the whole list of what can be set in the account" {
		t.Errorf("what an action brought comes after the page as it was: %q", got)
	}
}

func vectors(rows ...[]float32) (out []byte) {
	for _, r := range rows {
		for _, x := range r {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	return out
}

func TestSearch_ByVector(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	version := l.receive("a.txt")
	l.read("a.txt", refund, gift, reset)
	add := func(part int, model string, v ...[]float32) {
		l.text(version, knowledge.VectorsAdded{
			Source: l.source, Document: l.document("a.txt"), Version: version, Part: part, Model: model, Dimensions: len(v[0]), Vectors: vectors(v...),
		})
	}
	add(0, "m1", []float32{1, 0, 0}, []float32{0, 1, 0})
	l.indexed("a.txt", 3)
	add(1, "m1", []float32{0.6, 0, 0.8}) // comes later
	add(0, "m2", []float32{0, 1}, []float32{1, 0})
	for _, c := range []struct {
		model  string
		vector []float32
		want   []string
	}{
		{"m1", []float32{2, 0, 0}, []string{refund, reset}},
		{"m1", []float32{0, 0.1, 0}, []string{gift}},
		{"m2", []float32{1, 0}, []string{gift}},
		{"m1", []float32{1, 0}, nil},
		{"m3", []float32{1, 0, 0}, nil},
		{"m1", []float32{0, 0, 0}, nil},
		{"m1", []float32{float32(math.NaN()), 0, 0}, nil},
		{"", []float32{1, 0, 0}, nil},
	} {
		if got := findWith(t, e, q, read.Query{Model: c.model, Vector: c.vector}); !slices.Equal(got, c.want) {
			t.Errorf("%s %v finds %q", c.model, c.vector, got)
		}
	}
	// Reset is second by words and by vectors, where the others are once first and once nowhere.
	got := findWith(t, e, q, read.Query{Text: "refunds refunds server", Model: "m1", Vector: []float32{0.9, 0, 0.5}})
	if len(got) != 2 || !slices.Contains(got, reset) {
		t.Errorf("joined: %q", got)
	}
	l.add("a.txt", gift)
	if got := findWith(t, e, q, read.Query{Model: "m1", Vector: []float32{1, 0, 0}}); len(got) != 0 {
		t.Errorf("vectors of an old version find %q", got)
	}
}

// "für" says nothing, and is not to be found as "fur" for it.
func TestSearch_EmptyWordsStayEmptyWithoutTheirMarks(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	source(e, func(s *knowledge.SourceAdded) { s.Language = "de" }).add("a.txt", "Vorteile für Kunden und für Händler")
	if got := find(t, e, q, "für"); len(got) != 0 {
		t.Errorf("an empty word finds %q", got)
	}
	if got := find(t, e, q, "handler"); len(got) != 1 {
		t.Errorf("a word without its marks finds %q", got)
	}
	if n := e.Count(`select count(*) from read.term where lexeme in ('fur', 'für')`); n != 0 {
		t.Errorf("%d empty words are indexed", n)
	}
}

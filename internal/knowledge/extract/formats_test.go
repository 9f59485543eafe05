package extract_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

const prose = "An order is sent within two working days.\nIt comes back, if it has to, by post."

func TestRead_FindsTheTypeByTheContent(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		hint extract.Hint
		want knowledge.Type
	}{
		"a page called text":          {"<!DOCTYPE html><title>a</title><p>b", extract.Hint{Name: "a.txt", MediaType: "text/plain"}, knowledge.HTML},
		"a page of fragments":         {"<div><p>One</p><p>Two</p></div>", extract.Hint{}, knowledge.HTML},
		"XHTML":                       {`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>a</p></body></html>`, extract.Hint{}, knowledge.HTML},
		"a feed":                      {`<?xml version="1.0"?><rss><channel><title>t</title></channel></rss>`, extract.Hint{MediaType: "text/html"}, knowledge.XML},
		"JSON called text":            {` {"a": 1}`, extract.Hint{Name: "a.txt"}, knowledge.JSON},
		"JSON, a line each":           {"{\"a\":1}\n{\"a\":2}\n", extract.Hint{}, knowledge.JSON},
		"text in brackets":            {"[1] A note.\n\nMore of it.", extract.Hint{}, knowledge.Text},
		"a table":                     {"a,b\n1,2\n3,4\n", extract.Hint{}, knowledge.CSV},
		"a table with semicolons":     {"a;b\n1,5;2\n3;4\n", extract.Hint{Name: "export"}, knowledge.CSV},
		"prose called a table":        {"Dear all,\nthe shop is closed.\nBye, Ann", extract.Hint{Name: "a.csv"}, knowledge.Text},
		"settings":                    {"server:\n  port: 80\nname: x\n", extract.Hint{}, knowledge.YAML},
		"prose with a colon":          {"Note: the shop is closed.\n\nCome back on Monday.", extract.Hint{Name: "a.yaml"}, knowledge.Text},
		"Markdown without a name":     {"# Title\n\nText with [a link](https://example.com).\n", extract.Hint{}, knowledge.Markdown},
		"plain text called Markdown":  {prose, extract.Hint{Name: "a.md"}, knowledge.Markdown},
		"plain text":                  {prose, extract.Hint{}, knowledge.Text},
		"text that speaks of a <tag>": {"Use <b> for bold.\n" + prose, extract.Hint{MediaType: "text/plain"}, knowledge.Text},
	} {
		got, err := extract.Read(t.Context(), []byte(c.body), c.hint)
		if err != nil || got.Type != c.want {
			t.Errorf("%s: %q (%v), want %q", name, got.Type, err, c.want)
		}
	}
}

func TestRead_FindsTheCharset(t *testing.T) {
	japaneseText := "商品コード,商品名,在庫数\n1001,りんごジュース,20\n1002,みかんゼリー,35\n1003,抹茶アイスクリーム,12\n"
	german := "Größe,Farbe\nübergroß,weiß\nklein,grün\nmäßig,schwärzlich\n"
	for name, c := range map[string]struct {
		text     string
		encoding encoding.Encoding
		hint     extract.Hint
	}{
		"UTF-8 with a mark":        {german, unicode.UTF8BOM, extract.Hint{}},
		"UTF-16 with a mark":       {german, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), extract.Hint{}},
		"UTF-16 without":           {german, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), extract.Hint{}},
		"UTF-16, the other way":    {german, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), extract.Hint{}},
		"Shift JIS":                {japaneseText, japanese.ShiftJIS, extract.Hint{}},
		"EUC-JP":                   {japaneseText, japanese.EUCJP, extract.Hint{}},
		"ISO-2022-JP":              {japaneseText, japanese.ISO2022JP, extract.Hint{}},
		"Windows 1252, declared":   {german, charmap.Windows1252, extract.Hint{MediaType: "text/csv; charset=windows-1252"}},
		"UTF-8, declared as other": {german, unicode.UTF8, extract.Hint{MediaType: "text/csv; charset=iso-8859-1"}},
		"Windows 1251, declared":   {"Город,Дни\nМосква,2\nКазань,3\n", charmap.Windows1251, extract.Hint{MediaType: "text/csv; charset=windows-1251"}},
	} {
		body, err := c.encoding.NewEncoder().Bytes([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		want, err := extract.Read(t.Context(), []byte(c.text), extract.Hint{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := extract.Read(t.Context(), body, c.hint)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestRead_Formats(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		hint  extract.Hint
		title string
		want  []string
	}{
		"CSV": {"Name;Price\n\"A; b\";1|2\n\nC;3\n", extract.Hint{}, "", []string{"table | Name | Price |\n| --- | --- |\n| A; b | 1\\|2 |\n| C | 3 |"}},
		"JSON": {`{"shop":{"name":"A","open":[{"day":"Mon","hours":{"from":9}},{"day":"Tue"}],"none":null},"big":12345678901234567890}`, extract.Hint{}, "",
			[]string{"paragraph shop.name: A\nshop.open[1].day: Mon\nshop.open[1].hours.from: 9\nshop.open[2].day: Tue", "paragraph big: 12345678901234567890"}},
		"JSON of records": {`[{"a":1,"b":"x"},{"a":2}]`, extract.Hint{}, "", []string{"table | a | b |\n| --- | --- |\n| 1 | x |\n| 2 |"}},
		"YAML":            {"base: &b {port: 80}\nserver:\n  at: *b\n  name: x # no\n", extract.Hint{}, "", []string{"paragraph base.port: 80", "paragraph server.at.port: 80\nserver.name: x"}},
		"XML": {`<?xml version="1.0"?><list xml:lang="en"><item id="7"><name>A</name></item><item><p>Some <b>mixed</b> text</p></item></list>`, extract.Hint{}, "",
			[]string{"paragraph @lang: en", "paragraph item[1].@id: 7\nitem[1].name: A", "paragraph item[2].p: Some mixed text"}},
		"Markdown": {"---\ntitle: Front\n---\n# One\n\nText *with* [a link](b.html), `code`\nand ![a picture](x.png).\n\n- a\n  - b\n1. c\n\n> said\n\n```go\nf()\n```\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n<p hidden>no</p>\n\n<div>yes</div>\n",
			extract.Hint{BaseURL: "https://example.com/d/"}, "Front",
			[]string{"heading1 One", "paragraph Text with [a link](https://example.com/d/b.html), `code` and a picture.", "paragraph - a", "paragraph   - b", "paragraph 1. c", "paragraph > said", "code f()", "table | A | B |\n| --- | --- |\n| 1 | 2 |", "paragraph yes"}},
		"text": {"OPENING HOURS\n\nWe are open every day of the week from nine in\nthe morning, and close at eight.\n\nReturns\n-------\n1. Pack it.\n2. Send it.\n\n2.1 Abroad\n\nNot sent.", extract.Hint{}, "",
			[]string{"heading1 OPENING HOURS", "paragraph We are open every day of the week from nine in the morning, and close at eight.", "heading2 Returns", "paragraph 1. Pack it.\n2. Send it.", "heading2 2.1 Abroad", "paragraph Not sent."}},
		"what cannot be seen": {"Pay\u200b to\u202e \U000e0041\u2066this\u00ad.\ufe0e می\u200cخواهم \u212b", extract.Hint{}, "", []string{"paragraph Pay to this. می\u200cخواهم Å"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := extract.Read(t.Context(), []byte(c.body), c.hint)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, told(got)); diff != "" || got.Title != c.title {
				t.Errorf("title %q\n%s", got.Title, diff)
			}
		})
	}
}

func TestRead_Workbook(t *testing.T) {
	f := excelize.NewFile()
	style, err := f.NewStyle(&excelize.Style{NumFmt: 14})
	if err != nil {
		t.Fatal(err)
	}
	percent, err := f.NewStyle(&excelize.Style{NumFmt: 9})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		f.SetSheetRow("Sheet1", "A1", &[]any{"Day", "Share", "Sum"}),
		f.SetSheetRow("Sheet1", "A2", &[]any{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 0.25, 1234.5}),
		f.SetCellStyle("Sheet1", "A2", "A2", style), f.SetCellStyle("Sheet1", "B2", "B2", percent),
		f.SetDocProps(&excelize.DocProperties{Title: "Figures", Language: "en-GB"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, sheet := range []string{"Hidden", "Empty"} {
		if _, err := f.NewSheet(sheet); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.SetCellValue("Hidden", "A1", "secret"), f.SetSheetVisible("Hidden", false)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := extract.Read(t.Context(), b.Bytes(), extract.Hint{})
	if err != nil {
		t.Fatal(err)
	}
	want := knowledge.Extracted{Type: knowledge.XLSX, Title: "Figures", Language: "en-GB", Pages: 3, ImagePages: 1, Blocks: []knowledge.Block{
		{Kind: knowledge.Heading, Level: 1, Text: "Sheet1", Page: 1},
		{Kind: knowledge.Table, Text: "| Day | Share | Sum |\n| --- | --- | --- |\n| 03-01-26 | 25% | 1234.5 |", Page: 1},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRead_WithoutTextIsEmpty(t *testing.T) {
	for name, body := range map[string]string{"nothing": "", "spaces": " \n\t ", "zero width": "\u200b\u200b", "a page": "<html><body><script>draw()</script></body></html>", "JSON": "{}", "a comment": "<!-- nothing -->"} {
		_, err := extract.Read(t.Context(), []byte(body), extract.Hint{})
		var empty *extract.Empty
		if !errors.As(err, &empty) || empty.Reason == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRead_ARefusalAndAnEmptyDocumentHaveTheirType(t *testing.T) {
	_, err := extract.Read(t.Context(), []byte(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`), extract.Hint{})
	var refused *extract.Refused
	if !errors.As(err, &refused) || refused.Code != extract.Entities || refused.Type != knowledge.XML {
		t.Errorf("got %#v", err)
	}
	_, err = extract.Read(t.Context(), []byte("<html><body><script>draw()</script></body></html>"), extract.Hint{})
	var empty *extract.Empty
	if !errors.As(err, &empty) || empty.Type != knowledge.HTML {
		t.Errorf("got %#v", err)
	}
}

func TestRead_ALongTitleIsCut(t *testing.T) {
	long := strings.Repeat("Größe ", 200)
	for name, c := range map[string]struct{ body, want string }{
		"Markdown":    {"# " + long + "\n\nText.", strings.Repeat("Größe ", 49) + "Größe…"},
		"HTML":        {"<!DOCTYPE html><title>" + strings.Repeat("ü", 1000) + "</title><p>Text.", strings.Repeat("ü", 299) + "…"},
		"as may be":   {"<!DOCTYPE html><title>" + strings.Repeat("ü", 300) + "</title><p>Text.", strings.Repeat("ü", 300)},
		"a character": {"<!DOCTYPE html><title>" + strings.Repeat("ü", 301) + "</title><p>Text.", strings.Repeat("ü", 299) + "…"},
	} {
		got, err := extract.Read(t.Context(), []byte(c.body), extract.Hint{})
		if err != nil || got.Title != c.want {
			t.Errorf("%s: %q, %v", name, got.Title, err)
		}
	}
}

func TestRead_TextOverTheBoundIsRefused(t *testing.T) {
	_, err := extract.Read(t.Context(), []byte(strings.Repeat(strings.Repeat("word ", 20)+"\n\n", 170_000)), extract.Hint{})
	var refused *extract.Refused
	if !errors.As(err, &refused) || refused.Code != extract.TooLarge {
		t.Errorf("got %v", err)
	}
}

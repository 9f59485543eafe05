package extract_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

// zipped is an archive of parts, by name.
func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = w.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	packageRels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/main.xml"/></Relationships>`
	wordStyles  = `<w:styles xmlns:w="w"><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-AT"/></w:rPr></w:rPrDefault></w:docDefaults>
		<w:style w:type="paragraph" w:styleId="U1"><w:name w:val="heading 1"/></w:style>
		<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="U2"/></w:style>
		<w:style w:type="paragraph" w:styleId="U2"><w:name w:val="Teil"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
		<w:style w:type="paragraph" w:styleId="Off"><w:name w:val="Off"/><w:basedOn w:val="U1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
		<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
		<w:style w:type="paragraph" w:styleId="Src"><w:name w:val="Source Code"/></w:style></w:styles>`
	wordNumbers = `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`
	wordNotes   = `<w:footnotes xmlns:w="w"><w:footnote w:id="0" w:type="separator"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:t>Not on Sundays.</w:t></w:r></w:p></w:footnote></w:footnotes>`
	wordRels    = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="l1" Type="x/hyperlink" Target="https://example.com/a" TargetMode="External"/><Relationship Id="l2" Type="x/hyperlink" Target="javascript:alert(1)" TargetMode="External"/></Relationships>`
)

// word is a document with a body.
func wordDocument(t testing.TB, body string) []byte {
	t.Helper()
	return zipped(t, "_rels/.rels", packageRels, "word/_rels/main.xml.rels", wordRels, "word/styles.xml", wordStyles, "word/numbering.xml", wordNumbers,
		"word/footnotes.xml", wordNotes, "word/main.xml", `<w:document xmlns:w="w" xmlns:r="r" xmlns:m="m" xmlns:mc="mc" xmlns:wps="wps" xmlns:wp="wp"><w:body>`+body+`</w:body></w:document>`)
}

func TestDOCX(t *testing.T) {
	p := func(style, text string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	for name, c := range map[string]struct {
		body string
		want []string // kind, level if any, and text
	}{
		"headings": {p("U1", "One") + p("Mine", "Two") + p("Off", "Three") + p("Loop", "Four"), []string{"heading1 One", "heading2 Two", "paragraph Three", "paragraph Four"}},
		"a level of the paragraph": {
			`<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Deep</w:t></w:r></w:p>`, []string{"heading3 Deep"},
		},
		"changes": {`<w:p><w:r><w:t xml:space="preserve">It is </w:t></w:r><w:del><w:r><w:delText>red</w:delText></w:r></w:del><w:ins><w:r><w:t>blue</w:t></w:r></w:ins><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom></w:p>`, []string{"paragraph It is blue"}},
		"fields":  {`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText><w:t>no</w:t></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:fldSimple><w:r><w:t xml:space="preserve"> of 20</w:t></w:r></w:fldSimple></w:p>`, []string{"paragraph 12 of 20"}},
		"signs":   {`<w:p><w:r><w:t>co</w:t><w:softHyphen/><w:t>op</w:t><w:noBreakHyphen/><w:t>ted&#xAD;</w:t><w:tab/><w:t>a</w:t><w:br/><w:t>b</w:t><w:sym w:char="00A9"/><w:sym w:char="F0B7"/></w:r></w:p>`, []string{"paragraph coop-ted a\nb©"}},
		"hidden":  {`<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r></w:p>`, []string{"paragraph shown"}},
		"links": {
			`<w:p><w:hyperlink r:id="l1"><w:r><w:t>here</w:t></w:r></w:hyperlink><w:r><w:t xml:space="preserve"> and </w:t></w:r><w:hyperlink r:id="l2"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>`,
			[]string{"paragraph [here](https://example.com/a) and there"},
		},
		"alternatives are not told twice": {
			`<w:p><w:r><w:t>Before</w:t><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>` + p("", "in a box") + `</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>` + p("", "in a box") + `</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
			[]string{"paragraph Before", "paragraph in a box"},
		},
		"a picture": {`<w:p><w:r><w:drawing><wp:docPr descr="The switch is on the left."/></w:drawing></w:r></w:p>`, []string{"paragraph The switch is on the left."}},
		"lists": {
			`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>b</w:t></w:r></w:p>`,
			[]string{"paragraph - a", "paragraph   1. b"},
		},
		"notes": {
			`<w:p><w:r><w:t>Open</w:t><w:footnoteReference w:id="2"/><w:t xml:space="preserve"> daily</w:t><w:commentReference w:id="1"/></w:r></w:p>` + p("", "After."),
			[]string{"paragraph Open[^1] daily", "paragraph [^1]: Not on Sundays.", "paragraph After."},
		},
		"tables": {
			`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>City</w:t></w:r></w:p></w:tc><w:tc>` + p("", "Days") + `</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + p("", "a|b") + `</w:tc></w:tr><w:tr><w:trPr><w:del/></w:trPr><w:tc>` + p("", "deleted") + `</w:tc></w:tr></w:tbl>`,
			[]string{"table | City | Days |\n| --- | --- |\n| a\\|b |"},
		},
		"a table in a table": {
			`<w:tbl><w:tr><w:tc>` + p("", "A") + `</w:tc><w:tc><w:tbl><w:tr><w:tc>` + p("", "1") + `</w:tc><w:tc>` + p("", "2") + `</w:tc></w:tr><w:tr><w:tc>` + p("", "3") + `</w:tc><w:tc>` + p("", "4") + `</w:tc></w:tr></w:tbl>` + p("", "end") + `</w:tc></w:tr></w:tbl>`,
			[]string{"table | A | 1, 2; 3, 4 end |\n| --- | --- |"},
		},
		"a frame":       {`<w:tbl><w:tr><w:tc>` + p("U1", "Note") + p("", "Careful.") + `</w:tc></w:tr></w:tbl>`, []string{"heading1 Note", "paragraph Careful."}},
		"code":          {p("Src", "if a {") + p("Src", "  b()") + p("", "Text."), []string{"code if a {\n  b()", "paragraph Text."}},
		"content":       {`<w:sdt><w:sdtPr/><w:sdtContent>` + p("", "In a control.") + `</w:sdtContent></w:sdt>`, []string{"paragraph In a control."}},
		"an initial":    {`<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr><w:r><w:t>O</w:t></w:r></w:p>` + p("", "nce upon."), []string{"paragraph Once upon."}},
		"formulas":      {`<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>`, []string{"paragraph a/b"}},
		"zero width":    {p("", "pass\u200bword\U000e0041"), []string{"paragraph password"}},
		"nested fields": {`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="begin"/><w:t>x</w:t><w:fldChar w:fldCharType="separate"/><w:t>y</w:t><w:fldChar w:fldCharType="end"/><w:fldChar w:fldCharType="separate"/><w:t>z</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`, []string{"paragraph z"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := extract.Read(t.Context(), wordDocument(t, c.body), extract.Hint{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Type != knowledge.DOCX || got.Language != "de-AT" {
				t.Errorf("a document of type %q in %q", got.Type, got.Language)
			}
			if diff := cmp.Diff(c.want, told(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// told are the blocks of a document as lines.
func told(e knowledge.Extracted) []string {
	var all []string
	for _, b := range e.Blocks {
		line := string(b.Kind)
		if b.Level > 0 {
			line += string(rune('0' + b.Level))
		}
		all = append(all, line+" "+b.Text)
	}
	return all
}

func TestRead_RefusesWhatWouldHarm(t *testing.T) {
	deep := strings.Repeat("<w:sdt>", 300) + strings.Repeat("</w:sdt>", 300)
	for name, c := range map[string]struct {
		body []byte
		code string
	}{
		"a document that unpacks to too much": {zipped(t, "_rels/.rels", packageRels, "word/main.xml", strings.Repeat(" ", 50<<20)), extract.ArchiveBomb},
		"entities in a document":              {zipped(t, "_rels/.rels", packageRels, "word/main.xml", `<!DOCTYPE a [<!ENTITY b "c">]><w:document xmlns:w="w"/>`), extract.Entities},
		"entities in a workbook":              {zipped(t, "xl/workbook.xml", `<!DOCTYPE a [<!ENTITY b "c">]><workbook/>`), extract.Entities},
		"entities in XML":                     {[]byte(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><a>&d;</a>`), extract.Entities},
		"deep elements":                       {wordDocument(t, deep), extract.TooComplex},
		"deep JSON":                           {[]byte(strings.Repeat("[", 500) + strings.Repeat("]", 500)), extract.TooComplex},
		"aliases of YAML":                     {[]byte("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"), extract.Entities},
		"no body":                             {zipped(t, "_rels/.rels", packageRels, "word/main.xml", "<a/>"), extract.Damaged},
		"a torn archive":                      {wordDocument(t, "")[:200], extract.Damaged},
		"a plain archive":                     {zipped(t, "a.txt", "text"), extract.UnsupportedType},
		"a picture":                           {[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), extract.UnsupportedType},
		"an old document":                     {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more"), extract.UnsupportedType},
		"a document with a password":          {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"), extract.Encrypted},
		"bytes":                               {bytes.Repeat([]byte{0, 1, 2, 3, 200}, 100), extract.UnsupportedType},
		"RTF":                                 {[]byte(`{\rtf1 text}`), extract.UnsupportedType},
		"a large file":                        {make([]byte, knowledge.MaxBytes+1), extract.TooLarge},
		"a torn PDF":                          {[]byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog"), extract.Damaged},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := extract.Read(t.Context(), c.body, extract.Hint{CacheDir: cacheDir(t)})
			var refused *extract.Refused
			if !errors.As(err, &refused) || refused.Code != c.code {
				t.Errorf("got %v, want the code %s", err, c.code)
			}
		})
	}
}

package extract_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

// BenchmarkDocx measures how many words of the documents' goldens are found, in order
// (as the longest common subsequence): a .docx beside a .native with the same name.
// Formulas are not counted, the goldens have them in another notation.
func BenchmarkDocx(b *testing.B) {
	dir := set(b, "docx")
	var files []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if _, missing := os.Stat(strings.TrimSuffix(path, ".docx") + ".native"); strings.HasSuffix(path, ".docx") && missing == nil {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		b.Fatalf("no .docx with its .native below %s: %v", dir, err)
	}
	for b.Loop() {
		found, all, perfect := 0, 0, 0
		for _, file := range files {
			native, err := os.ReadFile(strings.TrimSuffix(file, ".docx") + ".native")
			if err != nil {
				b.Fatal(err)
			}
			body, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			want := word.FindAllString(nativeText(string(native)), -1)
			read, err := extract.Read(b.Context(), body, extract.Hint{})
			got := common(want, word.FindAllString(read.Title+"\n"+plain(read), -1))
			found, all = found+got, all+len(want)
			if got == len(want) {
				perfect++
			} else {
				fmt.Printf("%s: %d of %d words, %v\n", filepath.Base(file), got, len(want), err)
			}
		}
		bar("docx_words_pct", 100*float64(found)/float64(all), 95, "pct")
		fmt.Printf("docx: %d documents, of %d every word\n", len(files), perfect)
	}
}

var nativeToken = regexp.MustCompile(`"(?:\\.|[^"\\])*"|[A-Za-z]+|[()]`)

// nativeText is the text of a tree in Pandoc's notation.
func nativeText(native string) string {
	var b strings.Builder
	takes, depth, at := "", 0, 0 // a string follows once the parenthesis at that depth is closed
	for _, t := range nativeToken.FindAllString(native, -1) {
		switch {
		case t == "(":
			depth++
		case t == ")":
			depth--
		case t[0] == '"':
			if takes == "Str" || takes != "" && depth == at {
				b.WriteString(unquote(t))
				if takes == "CodeBlock" {
					b.WriteByte(' ')
				}
				takes = ""
			}
		case t == "Str", t == "Code", t == "CodeBlock":
			if t == "CodeBlock" {
				b.WriteByte(' ')
			}
			takes, at = t, depth
		case inlines[t]:
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// inlines do not end a word.
var inlines = map[string]bool{
	"Emph": true, "Strong": true, "Underline": true, "Strikeout": true, "Superscript": true, "Subscript": true, "SmallCaps": true, "Span": true, "Link": true, "Quoted": true,
}

var nativeEscape = regexp.MustCompile(`\\(\d+|&|[^\d])`)

func unquote(s string) string {
	return nativeEscape.ReplaceAllStringFunc(s[1:len(s)-1], func(e string) string {
		switch n, err := strconv.Atoi(e[1:]); {
		case err == nil:
			return string(rune(n))
		case e == `\&`:
			return ""
		case e == `\n` || e == `\t`:
			return " "
		}
		return e[1:]
	})
}

// common is the length of the longest sequence of words that both have.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, w := range a {
		before := 0
		for j, v := range b {
			now := row[j+1]
			if w == v {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(now, row[j])
			}
			before = now
		}
	}
	return row[len(b)]
}

// BenchmarkPDF compares with pdftotext, file by file: what share of its words we have,
// and what share of ours it has, as F1 of the words counted; what both leave empty is
// left out. The reference is that all words are the same.
func BenchmarkPDF(b *testing.B) {
	dir := set(b, "pdf")
	if _, err := exec.LookPath("pdftotext"); err != nil {
		b.Skip("pdftotext is not installed (package poppler-utils)")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.pdf"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no .pdf in folders of %s: %v", dir, err)
	}
	for b.Loop() {
		ours, theirs, compared := 0.0, 0.0, 0
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			read, err := extract.Read(b.Context(), body, extract.Hint{CacheDir: cacheDir(b)})
			out, _ := exec.CommandContext(b.Context(), "pdftotext", "-q", "-enc", "UTF-8", file, "-").Output() //nolint:gosec // the folder is whose machine it is
			want, got := counted(string(out)), counted(plain(read))
			if len(want) == 0 && len(got) == 0 {
				fmt.Printf("%s: neither has text: %v\n", filepath.Base(file), err)
				continue
			}
			if len(want) == 0 {
				fmt.Printf("%s: pdftotext finds nothing, we %d words; left out\n", filepath.Base(file), len(got))
				continue
			}
			in, of := overlap(want, got), overlap(got, want)
			ours, theirs, compared = ours+in, theirs+of, compared+1
			if in < 0.98 || of < 0.98 || err != nil {
				fmt.Printf("%s: we have %.3f of its words, it has %.3f of ours; %v\n", filepath.Base(file), in, of, err)
			}
		}
		ours, theirs = ours/float64(compared), theirs/float64(compared)
		bar("pdf_text_vs_pdftotext", ours, theirs, "share")
		fmt.Printf("pdf: %d of %d files compared; we have %.4f of the words of pdftotext, it has %.4f of ours\n", compared, len(files), ours, theirs)
	}
}

func counted(text string) map[string]int {
	found := map[string]int{}
	for _, w := range word.FindAllString(text, -1) {
		found[w]++
	}
	return found
}

// overlap is the share of the words of one that the other has too; of none, all.
func overlap(of, in map[string]int) float64 {
	both, all := 0, 0
	for w, n := range of {
		all += n
		both += min(n, in[w])
	}
	if all == 0 {
		return 1
	}
	return float64(both) / float64(all)
}

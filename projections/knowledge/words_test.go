package knowledge

import (
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "",
		"The cat":                "the cat",
		"ERR_CONN_RESET!":        "err conn reset errconnreset",
		"v2.3.1, e-mail":         "v2 3 1 v231 e mail email",
		"a/b/c/d/e/f/g":          "a b c d e f g", // too many to be one word
		"don't":                  "don t dont",
		"end. Next":              "end next",
		"東京都":                    "東京 京都",
		"都":                      "都",
		"iPhone的价格":              "iphone 的价 价格",
		"ＡＢＣ１２３":                 "abc123",
		"हिन्दी भाषा":            "हिन्दी भाषा",
		"soft\u00adhyphen":       "softhyphen",
		"zero\u200bwidth":        "zerowidth",
		"กรุง":                   "กรุ รุง", // marks stay with what carries them
		"\x00\xff&|!":            "",
		strings.Repeat("x", 100): strings.Repeat("x", maxWord),
	} {
		var got []string
		for _, tok := range tokens(text) {
			got = append(got, tok.text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

func TestBare(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"österreich": "osterreich", "straße": "strasse", "façade": "facade", "đường": "duong", "ёлка": "елка", "ışık": "isik",
		"naïve": "naive", "cat": "cat", "हिन्दी": "हिन्दी", "กรุง": "กรุง", "άνθρωπος": "ανθρωπος", "\u0301": "\u0301",
	} {
		if got := bare(word); got != want {
			t.Errorf("%q without its marks is %q, want %q", word, got, want)
		}
	}
}

func TestIndexOf(t *testing.T) {
	t.Parallel()
	ix := indexOf([]string{"Refunds"}, "handbuch/für.pdf", "refunds für refunds")
	if ix.length != 4 {
		t.Errorf("a length of %d words", ix.length)
	}
	places := map[string]string{}
	for i, w := range ix.words {
		places[w] = ix.places[i]
	}
	if got := places["refunds"]; strings.Count(got, "A") != 1 || strings.Count(got, ",") != 2 {
		t.Errorf("refunds is at %q", got)
	}
	if !slices.Contains(ix.words, "fur"+bareOf+"für") || !strings.HasSuffix(places["pdf"], "C") {
		t.Errorf("%q at %q", ix.words, ix.places)
	}
}

func TestGuess(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"What is the weather like in the north of the country?": "english",
		"Wie wird das Wetter und was ist mit dem Schnee?":       "german",
		"Quelle est la capitale de la France et pour qui?":      "french",
		"¿Cuál es la capital de España y por qué no es otra?":   "spanish",
		"какой сегодня день":                                    "russian", "ποια είναι η πρωτεύουσα": "greek", "ما هي عاصمة مصر": "arabic", "भारत की राजधानी": "hindi",
		"東京": Simple, "12345": Simple, "": Simple, "refund": Simple,
	} {
		if _, got, _ := guess(text); got != want {
			t.Errorf("%q looks %s, want %s", text, got, want)
		}
	}
}

func TestDictionary(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"de-AT": "german", "EN_us": "english", "": "", "und": "", "zh-Hant": Simple, "xx": Simple, "nb": "norwegian"} {
		if got := Dictionary(tag); got != want {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
}

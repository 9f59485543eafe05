package lexicon_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// A file is lines of a concept and its words, in lower case and each once.
func TestFiles(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".txt") {
			continue
		}
		n++
		text, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			if i == 0 && strings.HasPrefix(line, "# ") {
				continue
			}
			_, list, _ := strings.Cut(line, ": ")
			seen := map[string]bool{}
			for _, w := range strings.Split(list, ", ") {
				if w == "" || w != strings.ToLower(w) || w != strings.TrimSpace(w) || seen[w] {
					t.Errorf("%s:%d: %q is empty, there twice, or not in lower case", e.Name(), i+1, w)
				}
				seen[w] = true
			}
		}
	}
	if n < 30 || n > 64 { // a set of languages is a number of 64 bits
		t.Errorf("%d languages", n)
	}
}

func TestWords_In(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language string
		concept  lexicon.Concept
		text     string
		want     bool
	}{
		{"de", lexicon.Close, "Schließen", true}, {"de", lexicon.Close, "Close", true}, {"de", lexicon.Close, "Fermer", false}, {"", lexicon.Close, "Fermer", true},
		{"fr", lexicon.Close, "閉じる", true}, {"ja", lexicon.Close, "このウィンドウを閉じる", true}, {"en", lexicon.Narrow, "Sort by price", true}, {"en", lexicon.Narrow, "Resort", false},
		{"en", lexicon.SignIn, "Log in", true}, {"tr", lexicon.Close, "İPTAL", true}, {"en", "no such concept", "Close", false},
	} {
		if got := lexicon.For(c.language).In(c.concept, c.text); got != c.want {
			t.Errorf("%q of %q in %q: %v", c.text, c.concept, c.language, got)
		}
	}
	if w := lexicon.For("en"); !w.Is(lexicon.ErrorPage, "Page not found") || w.Is(lexicon.ErrorPage, "How pages are not found") {
		t.Error("an error page is one whose whole title says so")
	}
	if (lexicon.Words{}).In(lexicon.Close, "Close") {
		t.Error("no words are known to the zero value")
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"en": "en", "EN-us": "en", "pt_BR": "pt", "zh-Hant-TW": "zh", "no": "nb", "nn-NO": "nb", "iw": "he", " de ": "de", "gsw": "gsw",
		"": "", "x": "", "und": "", "english": "", "{{lang}}": "", "12": "",
	} {
		if got := lexicon.Language(tag); got != want {
			t.Errorf("%q is %q, want %q", tag, got, want)
		}
	}
}

func TestGuess(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Please have a look at the list of your orders, and tell us if this is not what you want.":             "en",
		"Hier finden Sie die Liste der Bestellungen, die Sie mit Ihrem Konto aufgegeben haben. Das ist alles.": "de",
		"Voici la liste des produits que vous avez achetés avec votre compte, et les factures pour vous.":      "fr",
		"Esta es la lista de los pedidos que usted ha hecho con su cuenta, y las facturas para el año.":        "es",
		"Oto lista zamówień, które są na twoim koncie, i faktury do nich. To nie jest wszystko.":               "pl",
		"Это список заказов, которые вы сделали, и счета на них. Это не всё, что есть для вас.":                "ru",
		"これはあなたの注文の一覧です。":                                                                                      "ja", "这是您的订单列表。": "zh", "주문 목록입니다": "ko", "รายการสั่งซื้อ": "th", "רשימת ההזמנות": "he", "Λίστα παραγγελιών": "el",
		"": "", "12 / 3": "", "Name Email Phone": "", "OK": "",
	} {
		if got := lexicon.Guess(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

package chain

import (
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// vocabulary are words and phrases, in lower case, in the languages our pages
// are in most. With a hyphen at its end it is the beginning of a word: "lösch-" is
// in "Konto löschen".
type vocabulary []string

// destructive marks what cannot be taken back.
var destructive = vocabulary{
	"delet-", "remov-", "eras-", "destroy-", "deactivat-", "terminat-", "unsubscrib-", "revok-", "wipe", "pay", "buy", "purchas-",
	"transfer", "withdraw-", "place order", "close account", "cancel subscription", "cancel account", "discard-", "overwrit-",
	"lösch-", "entfern-", "kündig-", "bezahl-", "kaufen", "überweis-", "kostenpflichtig",
	"supprim-", "effac-", "résili-", "payer", "acheter", "virement", "désabonn-",
	"elimin-", "borrar", "suprim-", "pagar", "comprar", "transferir", "dar de baja",
	"excluir", "apagar", "cancella-", "rimuov-", "pagare", "acquista-",
	"verwijder-", "betal-", "usuń", "zapłać", "kup", "удалить", "удаление", "оплатить", "купить", "sil", "satın al",
	"削除", "支払", "購入", "删除", "支付", "购买", "삭제", "결제", "हटाएं", "हटाएँ", "حذف", "دفع",
}

// allOfThem marks a box that stands for others.
var allOfThem = vocabulary{
	"all", "select all", "everything", "alle", "alles", "tous", "toutes", "tout", "todos", "todas", "todo", "tutti", "tutte",
	"wszystkie", "все", "tümü", "hepsi", "すべて", "全て", "全部", "全选", "모두", "전체", "सभी", "الكل",
}

// hierarchy: what can be chosen below follows from what was chosen above.
type hierarchy struct{ upper, lower vocabulary }

var hierarchies = []hierarchy{
	{
		vocabulary{"country", "land", "pays", "país", "pais", "paese", "kraj", "страна", "ülke", "国", "國家", "国家", "국가"},
		vocabulary{
			"state", "province", "region", "county", "city", "district", "bundesland", "kanton", "stadt", "ort", "région", "ville",
			"estado", "provincia", "ciudad", "cidade", "regione", "città", "region", "miasto", "регион", "город", "il", "şehir",
			"都道府県", "省", "市", "시",
		},
	},
	{
		vocabulary{"state", "province", "region", "county", "bundesland", "provincia", "estado", "région", "都道府県", "省"},
		vocabulary{"city", "town", "district", "stadt", "ort", "ciudad", "cidade", "ville", "市", "区"},
	},
	{vocabulary{"make", "brand", "manufacturer", "marke", "hersteller", "marque", "marca"}, vocabulary{"model", "modell", "modèle", "modelo", "modello"}},
	{
		vocabulary{"category", "kategorie", "catégorie", "categoría", "categoria", "department", "abteilung"},
		vocabulary{"subcategory", "sub category", "unterkategorie", "sous catégorie", "subcategoría", "subcategoria", "team", "doctor", "arzt"},
	},
}

// speaksOf reports whether a text has one of the words, whole and whatever the
// case. Scripts without spaces have them anywhere.
func speaksOf(list vocabulary, text string) bool {
	padded := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), notWord), " ") + " "
	for _, w := range list {
		stem, begins := strings.CutSuffix(w, "-")
		switch {
		case begins && strings.Contains(padded, " "+stem):
			return true
		case begins:
		case strings.Contains(padded, " "+w+" "):
			return true
		case withoutSpaces(w) && strings.Contains(padded, w):
			return true
		}
	}
	return false
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

func withoutSpaces(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

// sameText compares as a person would: case, spacing and what a label ends in
// do not count.
func sameText(a, b string) bool {
	trim := func(s string) string { return strings.TrimRight(page.Clean(s), " :*") }
	return strings.EqualFold(trim(a), trim(b))
}

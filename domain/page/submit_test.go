package page_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
)

// What may send, order, pay, delete or confirm something, in the words of its site.
func TestClickMaySubmit_words(t *testing.T) {
	t.Parallel()
	for lang, names := range map[string][2]string{ // once | as often as you like
		"en": {"Save|Save and close|Place order|Buy now|Pay $50.00|Delete|Remove item|Send|Submit|Confirm booking|Book|Add to cart|Publish|Sign up|Yes|Transfer|OK", "Cancel|Close|Back|Details|Next page|Menu|Help|Edit|Search|Find|Filter|Show more|Sort|Saved items|Orderly|Payments|Bookmarks"},
		"de": {"Speichern|Jetzt kaufen|Zahlungspflichtig bestellen|Konto löschen|Absenden|In den Warenkorb|Bestätigen|Ja", "Abbrechen|Zurück|Suchen|Filtern|Mehr anzeigen|Einzelheiten|Gelöschte Elemente|Jahr"},
		"fr": {"Enregistrer|Valider|Payer|Supprimer|S’inscrire|Ajouter au panier|Envoyer", "Annuler|Retour|Rechercher|Filtrer|Détails|Aide"},
		"es": {"Guardar|Comprar|Pagar ahora|Eliminar|Enviar|Registrarse|Sí", "Cancelar|Volver|Buscar|Filtrar|Detalles|Si quieres"},
		"pt": {"Salvar|Finalizar compra|Excluir|Enviar|Sim", "Cancelar|Voltar|Pesquisar|Detalhes"},
		"it": {"Salva|Acquista|Elimina|Invia|Conferma|Aggiungi al carrello", "Annulla|Indietro|Cerca|Filtra|Dettagli"},
		"nl": {"Opslaan|Bestellen|Betalen|Verwijderen|Versturen", "Annuleren|Terug|Zoeken|Meer"},
		"pl": {"Zapisz|Kup teraz|Zamów|Usuń|Wyślij|Do koszyka", "Anuluj|Wstecz|Szukaj|Szczegóły"},
		"cs": {"Uložit|Koupit|Objednat|Smazat|Odeslat", "Zrušit|Zpět|Hledat"},
		"sv": {"Spara|Köp|Beställ|Ta bort|Skicka", "Avbryt|Tillbaka|Sök"},
		"da": {"Gem|Køb|Bestil|Slet", "Annuller|Tilbage|Søg"},
		"fi": {"Tallenna|Osta|Tilaa|Poista|Lähetä", "Peruuta|Takaisin|Haku"},
		"ru": {"Сохранить|Купить|Оплатить|Удалить|Оформить заказ", "Отмена|Назад|Найти|Поиск|Подробнее"},
		"uk": {"Зберегти|Купити|Видалити|Надіслати", "Скасувати|Назад|Пошук"},
		"tr": {"Kaydet|Satın al|Öde|Sil|Gönder|Sepete ekle", "İptal|Geri|Ara|Ayrıntılar"},
		"ja": {"保存する|注文を確定する|購入|削除|送信|カートに入れる", "キャンセル|戻る|検索|詳細"},
		"zh": {"保存|提交订单|立即购买|删除|发送|加入购物车|結帳", "返回|搜索|查询|详情|搜尋"},
		"ko": {"저장|주문하기|결제하기|삭제|보내기|장바구니에 담기", "뒤로|검색|자세히"},
		"ar": {"حفظ|شراء|حذف|إرسال|تأكيد", "رجوع|بحث|التفاصيل"},
		"he": {"שמור|קנה|מחק|שלח", "חזרה|חיפוש"},
		"hi": {"सहेजें|खरीदें|हटाएं|जमा करें", "वापस|खोजें"},
		"th": {"บันทึก|สั่งซื้อ|ลบ|ชำระเงิน", "กลับ|ค้นหา"},
		"vi": {"Lưu|Đặt hàng|Xóa|Thanh toán", "Quay lại|Tìm kiếm"},
		"id": {"Simpan|Beli|Hapus|Kirim", "Kembali|Cari"},
		"hu": {"Mentés|Megrendelés|Törlés", "Vissza|Keresés"},
		"ro": {"Salvează|Cumpără|Șterge", "Înapoi|Căutare"},
		"el": {"Αποθήκευση|Αγορά|Διαγραφή", "Πίσω|Αναζήτηση"},
		"fa": {"ثبت|خرید|حذف", "بازگشت|جستجو"},
	} {
		for i, want := range []bool{true, false} {
			for name := range strings.SplitSeq(names[i], "|") {
				for _, as := range []string{name, " " + strings.ToUpper(name) + " "} {
					if lang == "tr" && as != name || lang == "fr" && as != name { // dotless letters, and capitals without accents
						continue
					}
					if got := page.ClickMaySubmit(page.Element{Role: "button", Name: as}); got != want {
						t.Errorf("%s: %q: %v", lang, as, got)
					}
				}
			}
		}
	}
}

func TestClickMaySubmit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		on   page.Element
		want bool
	}{
		{"a submit button of any name", page.Element{Role: "button", Name: "Go", Type: "submit"}, true},
		{"one without a name", page.Element{Role: "button", Type: "submit"}, true},
		{"a picture that submits", page.Element{Role: "button", Type: "image"}, true},
		{"a plain button of any name", page.Element{Role: "button", Name: "Go", Type: "button"}, false},
		{"that of a search", page.Element{Role: "button", Name: "Go", Type: "submit", Group: "Search"}, false},
		{"one that searches", page.Element{Role: "button", Name: "Search", Type: "submit"}, false},
		{"what deletes, among results", page.Element{Role: "button", Name: "Delete", Group: "Search results"}, true},
		{"what books, in a form to find", page.Element{Role: "button", Name: "Book", Type: "submit", Group: "Find a doctor"}, true},
		{"a link that deletes", page.Element{Role: "link", Name: "Delete"}, true},
		{"a menu item that pays", page.Element{Role: "menuitem", Name: "Pay now"}, true},
		{"what only opens a menu", page.Element{Role: "button", Name: "Delete", State: page.State{HasPopup: true}}, false},
		{"a box to tick", page.Element{Role: "checkbox", Name: "I accept and agree"}, false},
		{"a choice", page.Element{Role: "radio", Name: "Pay by card"}, false},
		{"a switch", page.Element{Role: "switch", Name: "Publish"}, false},
		{"a tab", page.Element{Role: "tab", Name: "Order"}, false},
		{"an option", page.Element{Role: "option", Name: "Delete"}, false},
		{"a list to choose from", page.Element{Role: "combobox", Name: "Order by"}, false},
		{"a field", page.Element{Role: "textbox", Name: "Post"}, false},
		{"nothing known of it", page.Element{}, false},
	} {
		if got := page.ClickMaySubmit(c.on); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestKeyMaySubmit(t *testing.T) {
	t.Parallel()
	p := page.Page{Elements: []page.Element{
		{ID: "text", Role: "textbox", Name: "Full name"},
		{ID: "search", Role: "searchbox", Name: "Products"},
		{ID: "find", Role: "textbox", Name: "Search products"},
		{ID: "typed", Role: "textbox", Type: "search"},
		{ID: "inSearch", Role: "textbox", Name: "Name", Group: "Find a doctor"},
		{ID: "pay", Role: "button", Name: "Pay"},
		{ID: "payThere", Role: "button", Name: "Pay", Group: "Search results"},
		{ID: "menu", Role: "button", Name: "Menu"},
		{ID: "tick", Role: "checkbox", Name: "I accept"},
		{ID: "row", Role: "row", Name: "Kim"},
	}}
	for _, c := range []struct {
		key, on string
		want    bool
	}{
		{"Enter", "text", true}, {"Enter", "", true}, {"Enter", "gone", true}, {"Enter", "search", false}, {"Enter", "find", false}, {"Enter", "typed", false},
		{"Enter", "inSearch", false}, {"Enter", "pay", true}, {"Enter", "payThere", true}, {"Control+Enter", "text", true}, {"Meta+Enter", "", true},
		{"Space", "pay", true}, {"Space", "menu", false}, {"Space", "tick", false}, {"Space", "text", false}, {"Space", "", false}, {" ", "pay", true},
		{"Delete", "row", true}, {"Delete", "", true}, {"Delete", "text", false}, {"Control+Delete", "row", true},
		{"Tab", "pay", false}, {"Escape", "pay", false}, {"ArrowDown", "pay", false}, {"a", "pay", false}, {"Control+a", "text", false}, {"+", "pay", false}, {"", "pay", false},
	} {
		p.ActiveElement = c.on
		if got := page.KeyMaySubmit(c.key, p); got != c.want {
			t.Errorf("%q on %q: %v", c.key, c.on, got)
		}
	}
}

// What is chosen is never submitted, whatever it is called, and what is called
// nothing is not guessed at.
func TestClickMaySubmit_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"Delete", "保存", "Ja"})).Draw(t, "name")
		role := rapid.SampledFrom([]string{"checkbox", "radio", "switch", "option", "tab", "textbox", "combobox", "slider"}).Draw(t, "role")
		if page.ClickMaySubmit(page.Element{Role: role, Name: name, Type: "submit"}) {
			t.Fatalf("%s %q", role, name)
		}
		if plain := page.ClickMaySubmit(page.Element{Role: "button", Name: name}); plain && !page.ClickMaySubmit(page.Element{Role: "button", Name: name, Type: "submit"}) {
			t.Fatalf("a submit button %q is none", name)
		}
	})
}

package vocabulary_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

func TestList_In(t *testing.T) {
	t.Parallel()
	list := vocabulary.List{"pay", "place order", "lösch-", "удалить", "削除", "삭제", "e mail", "حذف", "हटाएँ"}
	for text, want := range map[string]bool{
		"Pay now": true, "PAY": true, "pay.": true, "Payment": false, "Repay": false,
		"Place  order": true, "Place-order": true, "Place your order": false,
		"Konto löschen": true, "LÖSCHEN": true, "Auslöschen": false,
		"Удалить счёт": true, "удалитьсчёт": false,
		"アカウントを削除する": true, "계정 삭제하기": true, "حذف الحساب": true, "खाता हटाएँ": true,
		"E-Mail": true, "Email": false, "": false, " ": false,
	} {
		if got := list.In(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if (vocabulary.List{}).In("anything") {
		t.Error("an empty list is in nothing")
	}
}

package chain

import "github.com/stepledger/stepledger/domain/vocabulary"

// destructive are words for what cannot be undone.
var destructive = vocabulary.List{
	"delet-", "remov-", "eras-", "destroy-", "deactivat-", "terminat-", "unsubscrib-", "revok-", "wipe", "pay", "buy", "purchas-",
	"transfer", "withdraw-", "place order", "close account", "cancel subscription", "cancel account", "discard-", "overwrit-",
	"lösch-", "entfern-", "kündig-", "bezahl-", "kaufen", "überweis-", "kostenpflichtig",
	"supprim-", "effac-", "résili-", "payer", "acheter", "virement", "désabonn-",
	"elimin-", "borrar", "suprim-", "pagar", "comprar", "transferir", "dar de baja",
	"excluir", "apagar", "cancella-", "rimuov-", "pagare", "acquista-",
	"verwijder-", "betal-", "usuń", "zapłać", "kup", "удалить", "удаление", "оплатить", "купить", "sil", "satın al",
	"削除", "支払", "購入", "删除", "支付", "购买", "삭제", "결제", "हटाएं", "हटाएँ", "حذف", "دفع",
}

// allOfThem are labels of boxes that stand for others.
var allOfThem = vocabulary.List{
	"all", "select all", "everything", "alle", "alles", "tous", "toutes", "tout", "todos", "todas", "todo", "tutti", "tutte",
	"wszystkie", "все", "tümü", "hepsi", "すべて", "全て", "全部", "全选", "모두", "전체", "सभी", "الكل",
}

// hierarchy: the choices of lower depend on what was chosen in upper.
type hierarchy struct{ upper, lower vocabulary.List }

var hierarchies = []hierarchy{
	{
		vocabulary.List{"country", "land", "pays", "país", "pais", "paese", "kraj", "страна", "ülke", "国", "國家", "国家", "국가"},
		vocabulary.List{
			"state", "province", "region", "county", "city", "district", "bundesland", "kanton", "stadt", "ort", "région", "ville",
			"estado", "provincia", "ciudad", "cidade", "regione", "città", "region", "miasto", "регион", "город", "il", "şehir",
			"都道府県", "省", "市", "시",
		},
	},
	{
		vocabulary.List{"state", "province", "region", "county", "bundesland", "provincia", "estado", "région", "都道府県", "省"},
		vocabulary.List{"city", "town", "district", "stadt", "ort", "ciudad", "cidade", "ville", "市", "区"},
	},
	{vocabulary.List{"make", "brand", "manufacturer", "marke", "hersteller", "marque", "marca"}, vocabulary.List{"model", "modell", "modèle", "modelo", "modello"}},
	{
		vocabulary.List{"category", "kategorie", "catégorie", "categoría", "categoria", "department", "abteilung"},
		vocabulary.List{"subcategory", "sub category", "unterkategorie", "sous catégorie", "subcategoría", "subcategoria", "team", "doctor", "arzt"},
	},
}

package critic

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/vocabulary"
)

// kind is what a field takes.
type kind int

const (
	// personName is a person's full name, givenOrFamily a part of one.
	personName kind = iota
	givenOrFamily
	// phone is known by type or label, phoneLabel by label only: card numbers and
	// expiry dates are often typed into fields of type tel.
	phone
	phoneLabel
	email
	date
	number
	webAddress
)

// is reports whether a field takes a kind of value: by its type, which browsers check
// too, or else by its label. A label with two kinds ("Phone or e-mail") has none.
func is(e page.Element, k kind) bool {
	switch e.Type {
	case "email":
		return k == email
	case "tel":
		return k == phone || k == phoneLabel && labelled(e) == phoneLabel
	case "number":
		return k == number
	case "date", "datetime-local", "month", "week", "time":
		return k == date
	case "url":
		return k == webAddress
	case "", "text", "search":
		if e.Role == "spinbutton" && e.Tag == "input" {
			return k == number
		}
	default:
		return false
	}
	label := labelled(e)
	return label == k || k == personName && label == givenOrFamily || k == phone && label == phoneLabel
}

const unlabelled kind = -1

// maxLabelWords is the longest label that names a field. Longer ones are sentences
// about it.
const maxLabelWords = 5

// labelled returns the kind by the field's label, or by its placeholder if it has no
// label.
func labelled(e page.Element) kind {
	label := page.Clean(e.Name)
	if label == "" {
		label = page.Clean(e.Placeholder)
	}
	if e.Role == "searchbox" || e.Tag == "textarea" || len(e.Options) > 0 || len(strings.Fields(label)) > maxLabelWords || about.In(label) {
		return unlabelled
	}
	found := unlabelled
	for _, l := range labels {
		if !l.words.In(label) {
			continue
		}
		if found != unlabelled {
			return unlabelled
		}
		found = l.kind
	}
	if found == unlabelled && slices.Contains(wholeNames, strings.ToLower(strings.TrimRight(label, " *:"))) {
		return personName
	}
	return found
}

// about marks labels about a thing rather than its value: the subject of an e-mail,
// the model of a phone, the name of a company.
var about = vocabulary.List{
	"subject", "body", "message", "template", "text", "title", "signature", "provider", "domain", "model", "type", "brand", "plan",
	"format", "range", "user", "username", "login", "nickname", "file", "company", "business", "organisation", "organization",
	"product", "project", "account", "code", "id", "country", "filter", "search", "question", "pet", "maiden", "extension",
	"betreff", "nachricht", "vorlage", "firma", "unternehmen", "benutzername", "projekt", "produkt", "suche", "modell", "typ", "art",
	"objet", "sujet", "société", "entreprise", "utilisateur", "recherche", "produit", "asunto", "mensaje", "empresa", "usuario", "buscar",
	"assunto", "usuário", "oggetto", "azienda", "utente", "тема", "компания", "件名", "会社", "公司", "제목", "회사",
}

// labels are the words for fields of a kind.
var labels = []struct {
	kind  kind
	words vocabulary.List
}{
	{givenOrFamily, vocabulary.List{
		"first name", "firstname", "given name", "forename", "middle name", "last name", "lastname", "surname", "family name",
		"vorname", "nachname", "familienname", "zuname", "prénom", "prenom", "nom de famille", "apellido", "apellidos", "sobrenome",
		"cognome", "voornaam", "achternaam", "imię", "nazwisko", "фамилия", "отчество", "soyadı", "soyad", "苗字", "姓氏", "성씨",
	}},
	{phoneLabel, vocabulary.List{
		"phone", "telephone", "mobile", "cell", "tel", "telefon", "telefonnummer", "handy", "handynummer", "rufnummer", "mobilnummer",
		"téléphone", "portable", "teléfono", "móvil", "celular", "telefone", "telemóvel", "cellulare", "telefono", "telefoon",
		"телефон", "電話", "电话", "手机", "携帯", "전화", "휴대폰", "هاتف", "फ़ोन", "फोन",
	}},
	{email, vocabulary.List{
		"email", "e mail", "mail", "mailadresse", "courriel", "correo", "adresse électronique", "почта", "メール", "邮箱", "邮件",
		"이메일", "البريد", "ईमेल", "e posta", "eposta",
	}},
	{date, vocabulary.List{
		"date of birth", "birth date", "birthdate", "birthday", "dob", "geburtsdatum", "geburtstag", "date de naissance",
		"fecha de nacimiento", "data de nascimento", "data di nascita", "geboortedatum", "data urodzenia", "дата рождения",
		"doğum tarihi", "生年月日", "出生日期", "생년월일", "تاريخ الميلاد", "जन्म तिथि",
	}},
}

// wholeNames are labels of a person's full name.
var wholeNames = []string{
	"name", "full name", "your name", "your full name", "patient name", "patient's name", "contact name", "customer name", "name on card",
	"name des patienten", "ihr name", "vollständiger name", "nom", "nom complet", "votre nom", "nombre", "nombre completo", "nome",
	"nome completo", "naam", "imię i nazwisko", "имя", "фио", "ad soyad", "氏名", "お名前", "名前", "姓名", "이름", "성명", "الاسم", "नाम",
}

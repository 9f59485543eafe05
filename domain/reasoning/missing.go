package reasoning

import (
	"regexp"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/vocabulary"
)

// missingInfo is how an answer says that a value is missing (spec: dynamic interrupt).
var missingInfo = regexp.MustCompile(`(?i)\bMISSING[_ ]INFO\s*:\s*\[?\s*([^\[\]\\\n"]{1,120})`)

// ReadMissing returns what a text says is missing: "date of birth" of
// "MISSING_INFO: [date of birth]".
func ReadMissing(text string) (what string, ok bool) {
	m := missingInfo.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	what = strings.Trim(page.Clean(strings.ReplaceAll(m[1], "_", " ")), " .,;:'()")
	return what, what != ""
}

// privateWords name what only the user can know, whatever the web says.
var privateWords = vocabulary.List{
	"my", "your", "user", "customer", "patient", "client", "employee", "password", "passcode", "pin", "code", "token", "secret",
	"name", "surname", "birth", "dob", "birthday", "age", "gender", "sex", "nationality", "email", "e mail", "mail", "phone", "mobile", "fax", "ssn",
	"social security", "passport", "licence", "license", "insurance", "policy", "card", "iban", "account", "cvv", "cvc",
	"passwort", "kennwort", "geburtsdatum", "geburtstag", "geburtsort", "vorname", "nachname", "geschlecht", "telefonnummer", "handynummer", "kontonummer", "ausweis", "versicherung", "hausnummer", "straße", "betrag", "uhrzeit", "termin",
	"mot de passe", "prénom", "nom", "naissance", "sexe", "courriel", "téléphone", "compte", "passeport", "assurance", "montant", "rue", "rendez vous",
	"contraseña", "nombre", "apellido", "apellidos", "nacimiento", "edad", "sexo", "correo", "teléfono", "cuenta", "pasaporte", "importe", "cliente", "paciente", "calle", "fecha", "cita",
	"nome", "cognome", "nascita", "età", "sesso", "telefono", "passaporto", "assicurazione", "importo", "paziente", "appuntamento",
	"senha", "sobrenome", "nascimento", "idade", "telefone", "passaporte",
	"wachtwoord", "voornaam", "achternaam", "geboortedatum", "leeftijd", "geslacht", "telefoonnummer", "rekening", "paspoort", "verzekering", "bedrag", "klant", "straat", "datum", "afspraak",
	"street", "house", "room", "seat", "preference", "choice", "amount", "quantity", "budget", "reason", "comment", "note", "date", "time", "day", "appointment", "signature",
}

// IsPrivate reports whether a missing value is one that only the user knows, so that
// asking the web would be a guess, and would tell it about the user.
func IsPrivate(what string) bool { return privateWords.In(what) }

package value

import "strings"

// monthNames are the names and abbreviations of months in the languages whose pages
// write them out.
var monthNames = func() map[string]int {
	m := map[string]int{}
	for i, names := range [12]string{
		"jan january januar januari janvier janv enero ene gennaio gen janeiro styczeń stycznia sty leden ledna январь января янв ocak",
		"feb february februar februari février févr fév febrero febbraio fevereiro fev luty lutego lut únor února февраль февраля фев şubat şub",
		"mar march märz mär mrz mars maart mrt marzo março marzec marca březen března март марта мар mart",
		"apr april avril avr abril abr aprile kwiecień kwietnia kwi duben dubna апрель апреля апр nisan nis",
		"may mai mayo maggio mag maj mei maio maja květen května май мая mayıs",
		"jun june juni juin junio giugno giu junho czerwiec czerwca cze červen června июнь июня июн haziran haz",
		"jul july juli juillet juil julio luglio lug julho lipiec lipca lip červenec července июль июля июл temmuz tem",
		"aug august august augusti augustus août aout agosto ago sierpień sierpnia sie srpen srpna август августа авг ağustos ağu",
		"sep sept september septembre septiembre settembre set setembro wrzesień września wrz září сентябрь сентября сен eylül eyl",
		"oct october okt oktober octobre octubre ottobre ott outubro out październik października paź říjen října октябрь октября окт ekim eki",
		"nov november novembre noviembre novembro listopad listopada lis ноябрь ноября ноя kasım kas",
		"dec december dez dezember décembre déc diciembre dic dicembre dezembro grudzień grudnia gru prosinec prosince декабрь декабря дек aralık ara",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = i + 1
		}
	}
	return m
}()

// fillerWords may be part of a date without changing it.
var fillerWords = asSet("of the de del at um am le den on year month day " +
	"mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday " +
	"montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche " +
	"lunes martes miércoles jueves viernes sábado domingo")

package page

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

//go:embed submit.txt
var submitFile string

// submitWords are what controls are called whose work must not be done twice.
var submitWords = readWords(submitFile)

func readWords(file string) vocabulary.List {
	var out vocabulary.List
	for line := range strings.Lines(file) {
		if _, words, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			for w := range strings.SplitSeq(words, ",") {
				out = append(out, strings.TrimSpace(w))
			}
		}
	}
	return out
}

// choosing are the roles of what is chosen or filled in: choosing it again does no
// harm.
var choosing = []string{
	"checkbox", "radio", "switch", "option", "tab", "combobox", "listbox", "textbox", "searchbox", "slider", "spinbutton", "menuitemcheckbox", "menuitemradio",
}

// ClickMaySubmit reports whether a click on the element may send, order, pay,
// delete or confirm something, so that doing it twice may do harm: a submit button,
// or a control that is called like one. It errs on the careful side; searching,
// opening a menu and choosing are none of it.
func ClickMaySubmit(e Element) bool {
	switch {
	case slices.Contains(choosing, e.Role), e.State.HasPopup, searches(e.Name):
		return false
	case submitWords.In(e.Name):
		return true // also in a list of what was searched for
	}
	return (e.Type == "submit" || e.Type == "image") && !searches(e.Group)
}

// KeyMaySubmit reports whether pressing a key may do so on the page: Enter sends
// the form of the field that has the focus, a space presses the button that has it,
// Delete deletes what is selected.
func KeyMaySubmit(key string, p Page) bool {
	focused, known := p.ByID(p.ActiveElement)
	names := strings.Split(key, "+")
	switch names[len(names)-1] {
	case "Enter", "NumpadEnter", "Return":
		return !known || focused.Role != "searchbox" && focused.Type != "search" && !searches(focused.Name) && !searches(focused.Group) ||
			ClickMaySubmit(focused)
	case " ", "Space":
		return known && ClickMaySubmit(focused)
	case "Delete":
		return !known || !slices.Contains(choosing, focused.Role)
	}
	return false
}

// searchWords are what searching is called.
var searchWords = vocabulary.List{
	"search", "find", "filter", "suche", "suchen", "filtern", "rechercher", "recherche", "filtrer", "buscar", "búsqueda", "filtrar", "pesquisar", "procurar",
	"cerca", "filtra", "zoek", "zoeken", "szukaj", "wyszukaj", "hledat", "vyhledat", "sök", "søg", "søk", "haku", "hae", "искать", "найти", "поиск", "пошук",
	"ara", "検索", "絞り込", "搜索", "搜尋", "查询", "查詢", "검색", "بحث", "חיפוש", "खोजें", "ค้นหา", "tìm kiếm", "cari", "keresés", "căutare", "αναζήτηση", "جستجو",
}

func searches(name string) bool { return searchWords.In(name) }

package value

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// pair is what was asked, what a field shows, and whether that is the same.
type pair struct {
	asked, held string
	want        Match
}

func typed(kind string) page.Element {
	return page.Element{ID: "1", Tag: "input", Type: kind, Role: "textbox", Name: "Field"}
}

func compareAll(t *testing.T, kind string, pairs []pair) {
	t.Helper()
	t.Parallel()
	for _, p := range pairs {
		if got := Compare(p.asked, p.held, typed(kind)); got != p.want {
			t.Errorf("%q in a field that shows %q: %s, want %s", p.asked, p.held, got, p.want)
		}
	}
}

func TestCompare_texts(t *testing.T) {
	compareAll(t, "text", []pair{
		{"Jas", " jas ", Same}, {"Jas", "Jasper", Other}, {"", "x", Other}, {"", "", Same}, {"x", "", Other},
		{"New  York", "new york", Same}, {"a\nb", "a b", Same}, {"Oslo\u200b", "Oslo", Same},
		{"Işıl", "IŞIL", Same}, {"O'Brien", "O’Brien", Same}, {"12–14", "12-14", Same},
		{"anna", "@anna", Same}, {"Rossi Mario", "Rossi, Mario", Same}, {"Zürich", "Zurich", Other},
		{"AT&T", "ATT", Other}, {"O'Brien", "OBrien", Other}, {"Room 1234 🌞", "Room 1234", Other},
		{"HP/22-071", "HP22071", Other}, {"AB-1234", "AB 1234", Same}, {"DE89 3704 0044", "DE8937040044", Same},
		{"sl61qz", "SL6 1QZ", Same}, {"sl61qz", "SL6 1Q", Other}, {"a1234", "b1234", Other}, {"ABC 123", "123", Other},
		{"railcard.example", "https://railcard.example/", Same}, {"railcard.example", "https://railcard.example/login", Other},
		{"192.168.0.1", "19216801", CannotTell}, {"1.2.3", "123", Other}, {"4111 1111 1111 1111", "4111111111111111", Same},
		{"4111111111111111", "4111 1111 1111 1111", Same}, {"1234", "12/34", Same}, {"12a", "12", Other},
	})
}

// Pages and keyboards differ in the Unicode form of the same letters.
func TestCompare_unicodeForms(t *testing.T) {
	compareAll(t, "text", []pair{
		{"Zürich", "Zu\u0308rich", Same}, {"Zu\u0308rich", "ZÜRICH", Same}, {"Việt", "Vie\u0323\u0302t", Same},
		{"Ａｎｎａ", "Anna", Same}, {"１２３４", "1234", Same}, {"٤٥", "45", Same}, {"ひらがな", "ヒラガナ", Same},
		{"ｶﾞﾗｽ", "ガラス", Same}, {"か\u3099", "が", Same}, {"\u1112\u1161\u11ab", "한", Same}, {"\u212b", "Å", Same},
		{"カラス", "ガラス", Other}, {"ß", "s", Other},
	})
}

func TestCompare_numbers(t *testing.T) {
	compareAll(t, "text", []pair{
		{"500000", "1,500,000", Other}, {"500000", "1500000", Other}, {"500000", "1 500 000", Other}, {"500000", "500,000", Same},
		{"1000", "$1,000.00", Same}, {"$1,000.00", "1000", Same}, {"1,000.00", "1000", Same}, {"1,000", "1000", Same}, {"1.000,00", "1000", Same},
		{"12.345", "12345", CannotTell}, {"12345", "12.345", Same}, {"12.345", "12,345", CannotTell}, {"12.345", "12.345,00", CannotTell},
		{"12.345", "12.3450", Same}, {"12.345", "12.346", Other}, {"12345", "123.45", Other}, {"1,5", "1.5", Same}, {"1,5", "15", Other},
		{"45", "45,00", Same}, {"45", "45.00 €", Same}, {"1000", "1.000", Same}, {"1000", "1 000,00", Same}, {"1234567.5", "1'234'567.50", Same},
		{"12,34,567", "1234567", Same}, {"1000", "$1,000", Same}, {"-3", "-3,0", Same}, {"−3", "-3", Same}, {"-3", "3", Other},
		{"1500", "1 500 Kč", Same}, {"20", "CHF 20.00", Same}, {"99", "99 kr", Same}, {"300", "300 円", Same}, {"EUR 20", "20,00 €", Same},
		{"€20", "$20", Other}, {"$20", "USD 20", CannotTell}, {"45", "4,5", Other}, {"45", "450", Other}, {"1000", "1.00", Other}, {"forty", "forty", Same},
		{"45", "45 kg", Same}, {"45 kg", "45", CannotTell}, {"45 kg", "45 lb", Other}, {"18000", "18,000 km", Same}, {"45", "450 kg", Other}, {"45", "forty kg", Other},
		{"7", "7 %", Same}, {"7%", "7", Same}, {"7%", "0.07", CannotTell}, {"7%", "0.7", Other}, {"100", "1.00", Other},
		{"12.50", "1250", Other}, {"1250", "12,50 €", Other}, {"1250", "1,250", Same}, {"12", "21", Other}, {"0291847", "291847", Other},
		{"12345678901234567890", "12345678901234567891", Other}, {"100", "100,00 €", Same}, {"1250", "1.250,00 €", Same}, {"12.50", "12,50", Same},
	})
}

func TestCompare_numberControl(t *testing.T) {
	compareAll(t, "number", []pair{
		{"12.345", "12345", Other}, {"12345", "12.345", Other}, {"12,345", "12345", Same}, {"1,5", "1.5", Same}, {"1.000,50", "1000.5", Same},
		{"45 kg", "45", Same}, {"$1,000.00", "1000", Same}, {"1e3", "1000", Same}, {"007", "7", Same}, {"500000", "1500000", Other},
		{"many", "5", CannotTell}, {"5", "", Other},
	})
}

func TestCompare_phones(t *testing.T) {
	compareAll(t, "text", []pair{
		{"5550100", "(555) 0100", Same}, {"(555) 0100", "5550100", Same}, {"0532 123 45 67", "(532) 123 45 67", Same},
		{"89161234567", "+7 (916) 123-45-67", Same}, {"89161234567", "+7 (916) 123-45-68", Other}, {"9876543210", "+91 98765 43210", Same},
		{"+49 30 1234567", "030 1234567", Same}, {"030 1234567", "+49 30 1234567", Same}, {"0049 30 1234567", "+49 30 1234567", Same},
		{"+49 (0)30 1234", "+49301234", CannotTell}, {"+49301234567", "+43301234567", Other}, {"500000000", "1 500 000 000", Other},
	})
}

func TestCompare_phoneControl(t *testing.T) {
	compareAll(t, "tel", []pair{
		{"+49 30 1234567", "030 1234567", Same}, {"9876543210", "19876543210", CannotTell}, {"555.123.4567", "5551234567", Same}, {"5551234567", "5551234568", Other},
	})
}

func TestCompare_dates(t *testing.T) {
	compareAll(t, "text", []pair{
		{"1990-01-02", "01/02/1990", Same}, {"1990-1-2", "02.01.1990", Same}, {"1990-01-02", "1990-01-03", Other}, {"1990-01-02", "2 January 1990", Same},
		{"03.05.2021", "05.03.2021", Other}, {"31/12/2024", "12/31/2024", Same}, {"3.5.2021", "03.05.2021", Same}, {"3.5.2021", "2021-05-03", Same},
		{"3/5/2021", "03/05/2021", Same}, {"3/5/2021", "5/3/2021", CannotTell}, {"3/5/2021", "2021-05-03", CannotTell}, {"3/5/2021", "2021-06-03", Other},
		{"4/9/1871", "4 Sep 1871", CannotTell}, {"1871-09-04", "4 Sep 1871", Same}, {"1871-09-04", "Mon, Sep 4th, 1871", Same}, {"1871-09-04", "4. září 1871", Same},
		{"1871-09-04", "1871年9月4日", Same}, {"1871-09-04", "4 meán 1871", CannotTell}, {"1871-09-04", "5 meán 1871", Other},
		{"5.1.27", "05.01.2027", Same}, {"15-1-27", "15/01/2027", Same}, {"15-1-27", "15/01/2028", Other}, {"15-1-27", "27/01/2015", Other},
		{"03.05.2021", "03052021", Same}, {"March 2026", "2026-03", Same}, {"March 2026", "04/2026", Other},
		{"March 5, 2026 at 3:30 pm", "2026-03-05 15:30", Same}, {"March 5, 2026 at 3:30 pm", "2026-03-05 03:30", Other}, {"2026-03-05T15:30", "5.3.2026, 15:30 Uhr", Same},
	})
}

func TestCompare_times(t *testing.T) {
	compareAll(t, "text", []pair{
		{"0630", "06:30", Same}, {"44.30", "0:44:30", Same}, {"1.5", "1:30", Same}, {"1,25", "1:15", Same}, {"90", "1:30", Same}, {"930", "09:30", Same},
		{"9am", "09:00", Same}, {"9:30 pm", "21:30", Same}, {"9:30 p.m.", "21:30:00", Same}, {"12 am", "00:00", Same}, {"14h30", "14:30", Same}, {"14:30", "14.30 Uhr", Same},
		{"9:30", "09:30:00", Same}, {"3:30 pm", "下午3:30", Same}, {"1.5", "1:50", Other}, {"9pm", "09:00", Other}, {"12:30", "12:00", Other},
		{"5", "5:00", CannotTell}, {"3:30", "15:30", CannotTell}, {"3:30", "3:30 PM", CannotTell}, {"03:30", "15:30", Other}, {"3:30 pm", "3:30 am", Other},
	})
}

// What a page does not show cannot be compared; what it does show can be wrong.
func TestCompare_masked(t *testing.T) {
	compareAll(t, "text", []pair{
		{"hunter2", "•••••••", CannotTell}, {"hunter2", "*******", CannotTell}, {"4111111111111234", "•••• •••• •••• 1234", CannotTell},
		{"4111111111111234", "•••• •••• •••• 9999", Other}, {"4111111111111234", "4111 **** ****", CannotTell}, {"jas@site.test", "j•••@site.test", CannotTell}, {"****", "****", Same},
	})
}

func TestCompare_long(t *testing.T) {
	t.Parallel()
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'a' + byte(i%26)
	}
	for held, want := range map[string]Match{string(long): Same, string(long[:maxRead]): CannotTell, string(long[:100]): Other} {
		if got := Compare(string(long), held, page.Element{}); got != want {
			t.Errorf("%d of %d characters: %s, want %s", len(held), len(long), got, want)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "abc 12": "abc 12", "٠١٢٣٤٥٦٧٨٩": "0123456789", "۴۵": "45", "१२": "12", "１２３": "123", "𝟗": "9", "ひらがな": "ヒラガナ", "カタカナ": "カタカナ", "漢字": "漢字", "½": "½",
		"ﾌﾟﾗｽ": "プラス", "A\u0300": "À", "\u3000x\u00a0y ": "x y",
	} {
		if got := fold(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

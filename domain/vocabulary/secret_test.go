package vocabulary_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

func TestSecret(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		// the words for a password, as labels and attributes have them
		"Password", "userPassword", "new_password", "Confirm password *", "USER_PASSWD", "loginpwd", "pass", "Enter a passphrase", "login_pass",
		"Passwort", "Passwörter", "Benutzerpasswort", "Neues Kennwort", "Wachtwoord", "Hasło", "Powtórz hasło", "Haseł", "Heslo", "Lozinka",
		"Contraseña", "Contrasen\u0303a", "contrasena", "Senha", "Mot de passe", "Parola", "Parolă", "Şifre", "Şifreniz", "Yeni şifre", "Lösenord", "Adgangskode", "Passord",
		"Salasana", "Jelszó", "Κωδικός πρόσβασης", "Пароль", "Пароля", "كلمة المرور", "הסיסמה", "पासवर्ड", "รหัสผ่าน", "Mật khẩu", "Kata sandi", "パスワード", "密码", "新密码", "비밀번호 확인",
		// codes
		"Verification code", "verificationCode", "Enter the 6-digit code", "SMS code", "Security code", "One-time code", "OTP", "userOtp", "2FA", "Backup codes", "Access code",
		"Bestätigungscode", "Código de verificación", "Code de vérification", "Codice di verifica", "Kod weryfikacyjny", "Ověřovací kód", "Код подтверждения", "Doğrulama kodu", "验证码", "認証コード", "인증번호", "รหัส OTP",
		// tokens and keys
		"Secret", "client_secret", "clientSecret", "Access token", "Bearer token", "Token", "csrf_token", "API key", "apiKey", "X-Api-Key", "Private key", "Seed phrase", "Recovery key", "Recovery phrase", "Mnemonic",
		"Zugriffstoken", "Clé API", "Clave secreta", "ключ API", "密钥", "助记词",
		// cards and other numbers
		"CVV", "cvc2", "CSC", "Card number", "card_number", "cardNumber", "creditCardNo", "Kartennummer", "Numéro de carte", "卡号", "PIN", "pin-code", "PIN code", "SSN", "Social security number", "Mother's maiden name",
	} {
		if !vocabulary.Secret(s) {
			t.Errorf("%q is not taken for a secret", s)
		}
	}
	for _, s := range []string{
		"", "Email", "Shipping", "Opinion", "pinterest", "Compass", "Passenger", "Boarding pass", "Gift card", "Spin", "Area code", "Keyword", "Stand", "Titan",
		"Secretary", "Secretariat", "Secret Santa", "Token ring", "Token name", "Token symbol", "Max tokens", "Tokens", "Passport number", "Passport no", "Passage",
		"Postal PIN code", "Pin this post", "Pin title", "Parola chiave", "Palavra-chave", "Discount code", "Postal code", "Country code", "Promo code", "Code", "Key", "Monkey", "Licence plate", "Passwordless login",
		"Tangente", "Hassle", "Haslemere", "Parolee", "Clavel", "Senhor", "Pinnwand", "Bearing", "Geslot", "Paroli",
		"Please enter the e-mail address with which you registered, we will send a password",
	} {
		if vocabulary.Secret(s) {
			t.Errorf("%q is taken for a secret", s)
		}
	}
}

// Every entry has to match what it stands for, in any case.
func TestSecretEntries(t *testing.T) {
	t.Parallel()
	names, _ := vocabulary.SecretEntries()
	seen := map[string]bool{}
	for _, e := range names {
		if seen[e] || strings.TrimSpace(e) != e || e == "" || strings.ContainsFunc(e, unicode.IsUpper) {
			t.Errorf("entry %q is twice there, empty, or not in lower case", e)
		}
		seen[e] = true
		word := strings.Trim(e, "-=")
		if !vocabulary.Secret(word) || !vocabulary.Secret(strings.ToUpper(word)) && strings.ToLower(strings.ToUpper(word)) == word {
			t.Errorf("%q is not found in itself", e)
		}
	}
}

func BenchmarkSecret(b *testing.B) {
	for b.Loop() {
		vocabulary.Secret("Street and house number")
	}
}

//nolint:misspell // words of many languages
package vocabulary

import "strings"

// The words of Secret, by language, and what they may be part of without being
// meant. Notation: see entryOf. A word stands here in the form its language
// inflects it from.

var (
	secretNames = entriesOf(secretEntries())
	harmless    = entriesOf(harmlessEntries())
)

func secretEntries() []string {
	return strings.Split(strings.Join([]string{
		// English, and what programmers write everywhere
		"-password-,-passwd-,pass word,passcode-,pass code,passphrase-,pass phrase,-pwd,pwd-,=pass,=pw,=psw,user pass,login pass,admin pass,my pass,new pass,old pass,current pass,confirm pass,re pass,pass confirm-,pass 1,pass 2,pass1,pass2",
		"pin,pins,pincode-,cvv,cvv2,cvc,cvc2,csc,card verification,card security,card number-,cardnumber-,card no,cardno,card num,cardnum,cc number,ccnumber,cc num,ccnum,creditcard-,credit card,debit card",
		"verification code-,verificationcode-,security code-,securitycode-,access code-,accesscode-,confirmation code-,confirmationcode-,authentication code-,authenticator code-,authorization code-,authorisation code-,auth code-,authcode-,login code-,sign in code-,log in code-,sms code-,smscode-,reset code-,unlock code-,digit code-,backup code-,recovery code-,recovery key-,recovery phrase-,recovery words,secret code-,activation code-",
		"otp,otps,-otp,totp,hotp,one time,onetime-,mfa,2fa,two factor,twofactor-,two step,tan,mtan",
		"secret,secrets,-secret,secretkey-,api key-,apikey-,-apikey,access key-,accesskey-,private key-,privatekey-,encryption key-,signing key-,network key-,wpa key,wep key,psk,pre shared key,preshared key,seed phrase-,seedphrase-,seed words,mnemonic-",
		"token,-token,access tokens,accesstoken-,api tokens,auth tokens,bearer,jwt,ssn,social security,security answer-,maiden name of your mother,mother s maiden name,mothers maiden name,memorable word,memorable information,code word",
		// German, Dutch
		"-passwort-,-passwört-,-passwoert-,-kennwort-,-kennwört-,-geheimzahl-,-losungswort-,-zugangscode-,-sicherheitscode-,-bestätigungscode-,-verifizierungscode-,-verifikationscode-,-einmalcode-,-freischaltcode-,-aktivierungscode-,-wiederherstellungscode-,-wiederherstellungsschlüssel-,-wiederherstellungsphrase-,-prüfnummer-,-prüfziffer-,-kartennummer-,geheimnis,geheimer schlüssel,geheimschlüssel-,privater schlüssel,api schlüssel-,zugriffstoken-,-wachtwoord-,toegangscode-,beveiligingscode-,verificatiecode-,bevestigingscode-,herstelcode-,herstelsleutel-,geheime sleutel,privésleutel-,kaartnummer-,eenmalige code",
		// French
		"mot de passe,mots de passe,motdepasse-,code secret,code confidentiel,code de vérification,code de verification,code de sécurité,code de securite,code de confirmation,code d accès,code d acces,code d authentification,code à usage unique,phrase secrète,phrase de récupération,clé secrète,clé privée,clé api,clé d api,clé de récupération,jeton-,numéro de carte,numéro de la carte,cryptogramme-",
		// Spanish, Portuguese
		"contraseñ-,contrasen-,=clave,clave secreta,clave de acceso,clave privada,clave api,clave de api,código de verificación,codigo de verificacion,código de seguridad,codigo de seguridad,código de acceso,código de confirmación,código de recuperación,código de un solo uso,código secreto,frase semilla,frase de recuperación,número de tarjeta,numero de tarjeta,senha,senhas,palavra passe,código de verificação,código de segurança,código de confirmação,código de acesso,código de recuperação,chave secreta,chave privada,chave de api,chave api,chave de acesso,frase semente,frase de recuperação,número do cartão,numero do cartao",
		// Italian, Romanian
		"parola d ordine,codice di verifica,codice di sicurezza,codice segreto,codice di conferma,codice di accesso,codice di recupero,chiave segreta,chiave privata,chiave api,frase di recupero,frase segreta,numero di carta,numero della carta,parola,parolă,parolei,parolele,cod de verificare,cod de securitate,cod de confirmare,cheie secretă,numărul cardului,număr card",
		// Polish, Czech, Slovak, Slovenian, Croatian, Serbian
		"hasł-,haseł,haslo,kod weryfikac-,kodu weryfikac-,kod bezpiecze-,kod zabezpiecz-,kod potwierdz-,kod autoryzac-,kod jednorazow-,kod dostępu,kod sms,klucz api,klucz prywatn-,klucz tajn-,tajny klucz,numer karty,fraza odzyskiwania,hesl-,hesel,hesiel,ověřovací kód,overovací kód,bezpečnostní kód,bezpečnostný kód,potvrzovací kód,potvrdzovací kód,jednorázový kód,číslo karty,tajný klíč,geslo,gesla,lozink-,kod za potvrdu,sigurnosni kod,лозинк-",
		// Swedish, Danish, Norwegian, Icelandic, Finnish, Estonian, Lithuanian
		"-lösenord-,-losenord-,engångskod-,verifieringskod-,säkerhetskod-,bekräftelsekod-,återställningskod-,pinkod-,kortnummer-,-adgangskode-,-kodeord-,-passord-,engangskode-,bekræftelseskode-,bekreftelseskode-,sikkerhedskode-,sikkerhetskode-,verifikationskode-,verifiseringskode-,gendannelseskode-,lykilorð-,salasan-,salalause-,tunnusluku-,tunnusluvu-,vahvistuskood-,turvakood-,kertakäyttö-,korttinumero-,kortin numero,parool-,salasõn-,slaptažod-,parole,parol",
		// Hungarian, Greek
		"jelsz-,biztonsági kód,ellenőrző kód,megerősítő kód,egyszer használatos,kártyaszám-,titkos kulcs,κωδικός πρόσβασης,κωδικού πρόσβασης,κωδικοί πρόσβασης,κωδικό πρόσβασης,=κωδικός,συνθηματικ-,κωδικός επαλήθευσης,κωδικός ασφαλείας,κωδικός επιβεβαίωσης,αριθμός κάρτας,κρυφό κλειδί",
		// Russian, Ukrainian, Bulgarian
		"парол-,код подтверждения,код проверки,проверочный код,код безопасности,код доступа,код из смс,код из sms,одноразов-,пин,секрет,секретн-,токен-,ключ api,api ключ,приватный ключ,закрытый ключ,номер карты,сид фраз-,фраза восстановления,кодовое слово,код підтвердження,код перевірки,код безпеки,код доступу,номер картки,ключ доступу,код за потвърждение,код за сигурност",
		// Turkish, Azerbaijani
		"şifre-,sifre-,şifrə-,parolan-,parolası,parolayı,doğrulama kodu,onay kodu,güvenlik kodu,tek kullanımlık,erişim anahtarı,gizli anahtar,api anahtarı,özel anahtar,kart numarası,pin kodu",
		// Arabic, Persian, Urdu, Hebrew
		"كلمة المرور,كلمه المرور,كلمة مرور,كلمة السر,كلمة سر,كلمات المرور,الرقم السري,رمز التحقق,رمز الأمان,رمز سري,الرمز السري,رمز التأكيد,رمز الدخول,رمز الوصول,رقم البطاقة,رمز عبور,گذرواژه,کلمه عبور,پاس ورڈ,-סיסמ-,קוד אימות,קוד אבטחה,קוד סודי,קוד גישה,מספר כרטיס",
		// Hindi, Bengali, Tamil, Thai
		"पासवर्ड-,कूटशब्द,गुप्त कोड,सत्यापन कोड,सुरक्षा कोड,ओटीपी,पिन,कार्ड नंबर,पासकोड,পাসওয়ার্ড,கடவுச்சொல்,รหัสผ่าน,รหัสลับ,รหัสยืนยัน,รหัส otp,รหัสความปลอดภัย,รหัสปลอดภัย,หมายเลขบัตร,พาสเวิร์ด",
		// Vietnamese, Indonesian, Malay
		"mật khẩu,mã xác minh,mã xác nhận,mã xác thực,mã bảo mật,mã truy cập,số thẻ,khóa api,khoá api,khóa bí mật,khóa riêng,kata sandi,kata laluan,sandi,kode verifikasi,kode keamanan,kode konfirmasi,kode akses,kod pengesahan,nomor kartu,nombor kad,kunci api,kunci rahasia",
		// Japanese, Chinese, Korean
		"パスワード,パスコード,パスフレーズ,暗証,合言葉,認証コード,確認コード,検証コード,セキュリティコード,セキュリティ コード,ワンタイム,カード番号,秘密鍵,apiキー,api キー,シークレット,トークン,リカバリーフレーズ,復元フレーズ,密码,密碼,口令,验证码,驗證碼,校验码,动态码,動態碼,安全码,安全碼,卡号,卡號,密钥,密鑰,金鑰,私钥,私鑰,助记词,助記詞,令牌,恢复短语,비밀번호,패스워드,암호,인증번호,인증 번호,인증코드,인증 코드,보안코드,보안 코드,확인코드,확인 코드,카드번호,카드 번호,개인키,비밀키,시드 구문,복구 구문,토큰",
	}, ","), ",")
}

func harmlessEntries() []string {
	return strings.Split(strings.Join([]string{
		"passwordless,password manager-,password polic-,password length,password age,password expir-,password strength,password rule-",
		"token ring,token name-,token symbol-,token address-,token amount-,token type-,token id,token ids,token sale-,token holder-,token suppl-,token price-,token count-,token limit-,token contract-,token standard-,max token,token usage",
		"secret santa,secret shopper,trade secret-,secret garden",
		"pin to,pin this,pin post,pin message,pin title,pin description,pin board,pin name,pin note,pin item,pin location,drop pin,drop a pin,map pin,postal pin code,postal pin,area pin code,area pin,pin zip,zip pin",
		"parola chiave,parole chiave,parola o frase",
		"gift card code,tan lines",
	}, ","), ",")
}

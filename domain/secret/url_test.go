package secret_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/secret"
)

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

func TestCutURLs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://user:pass@shop.example/cart":            "https://shop.example/cart",
		"https://user@shop.example/":                     "https://shop.example/",
		"https://u:p@ss@shop.example/":                   "https://shop.example/",
		`{"u":"https:\/\/user:pass@shop.example\/cart"}`: `{"u":"https:\/\/shop.example\/cart"}`,
		"https://shop.example/@ann":                      "https://shop.example/@ann",
		"write to jo@shop.example":                       "write to jo@shop.example",

		"https://x.example/?access_token=abc&page=2":      "https://x.example/?access_token=[secret]&page=2",
		"https://x.example/?page=2&password=hun%20t":      "https://x.example/?page=2&password=[secret]",
		"https://x.example/#id_token=abc&state=ok":        "https://x.example/#id_token=[secret]&state=ok",
		"https://x.example/#/in?token=abc":                "https://x.example/#/in?token=[secret]",
		"/login;jsessionid=A1B2C3?x=1":                    "/login;jsessionid=[secret]",
		"?api_key=1&apiKey=2&key=3":                       "?api_key=[secret]&apiKey=[secret]&key=3",
		"?user[password]=x&user%5Bpassword%5D=y":          "?user[password]=[secret]&user%5Bpassword%5D=[secret]",
		"?client_secret=x&sig=y&X-Amz-Signature=z":        "?client_secret=[secret]&sig=[secret]&X-Amz-Signature=[secret]",
		"?sid=1&PHPSESSID=2&session=abc123":               "?sid=[secret]&PHPSESSID=[secret]&session=[secret]",
		"?otp=482913&pin=12&cvv=123":                      "?otp=[secret]&pin=[secret]&cvv=[secret]",
		"?code=SplxlOBeZQQYbYS6WxSbIA9&state=af0ifjsldkj": "?code=[secret]&state=[secret]",
		"?code=US&state=Ohio&key=name&session=2":          "?code=US&state=Ohio&key=name&session=2",
		"?code=482913":                                    "?code=[secret]",
		"?token_type=Bearer&tokens=5&q=password":          "?token_type=Bearer&tokens=5&q=password",
		"?next=%2Fin%3Ftoken%3Dabc%26a%3D1":               "?next=%2Fin%3Ftoken%3D[secret]%26a%3D1",
		"?u=https%3A%2F%2Fa%3Ab%40h.example%2Fx":          "?u=https%3A%2F%2Fh.example%2Fx",
		"?a=1&amp;token=abc&amp;b=2":                      "?a=1&amp;token=[secret]&amp;b=2",
		`"\/x?a=1\u0026token=abc"`:                        `"\/x?a=1\u0026token=[secret]"`,
		"?x=" + jwt:                                       "?x=[secret]",
		"?x=sk-live1234567890abcdef":                      "?x=[secret]",

		"https://x.example/reset/a1B2c3D4e5F6g7H8i9": "https://x.example/reset/[secret]",
		"https://x.example/p/" + jwt + "/x":          "https://x.example/p/[secret]/x",
		"https://x.example/item/a1B2c3D4e5F6g7H8i9":  "https://x.example/item/a1B2c3D4e5F6g7H8i9",

		`<a href="/x?token=abc">a</a><form action='?password=x'>`: `<a href="/x?token=[secret]">a</a><form action='?password=[secret]'>`,
		`<input type=password name="token" value="x">`:            `<input type=password name="token" value="x">`,
		"Failed to fetch https://x.example/?token=abc today":      "Failed to fetch https://x.example/?token=[secret] today",
		"sent password=abc ok":                                    "sent password=[secret] ok",
		"a = b, 2/3 and 50%":                                      "a = b, 2/3 and 50%",
		"https://shop.example/50%off?x=%":                         "https://shop.example/50%off?x=%",
		"":                                                        "",
	} {
		got := secret.CutURLs(in)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
		if again := secret.CutURLs(got); again != got {
			t.Errorf("%s cut again: %s", got, again)
		}
	}
}

// What is told apart by more than its secrets stays apart, and the same page
// with another token is the same page.
func TestCutURLs_comparesAsBefore(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"https://x.example/a?token=1", "https://x.example/b?token=1"}, {"https://x.example/?page=1", "https://x.example/?page=2"},
		{"https://x.example/?code=US", "https://x.example/?code=DE"}, {"https://x.example/#a", "https://x.example/#b"},
	} {
		if secret.CutURLs(pair[0]) == secret.CutURLs(pair[1]) {
			t.Errorf("%s is %s", pair[0], pair[1])
		}
	}
	if secret.CutURLs("https://a:b@x.example/?token=1") != secret.CutURLs("https://x.example/?token=2") {
		t.Error("the same page with another token is another page")
	}
}

func TestInURLs(t *testing.T) {
	t.Parallel()
	got := secret.InURLs("go to https://jo:hun%23ter@x.example/?token=a%26bcd&pin=12&next=%2F%3Fpassword%3Dhunter2")
	if want := []string{"hun#ter", "a&bcd", "hunter2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzCutURLs(f *testing.F) {
	f.Add("https://u:p@h/?token=x#y=%3D")
	f.Add("?a=%3Ftoken%3Dx%26&amp;pin=1;jsessionid=2")
	f.Fuzz(func(t *testing.T, s string) {
		got := secret.CutURLs(s)
		if again := secret.CutURLs(got); again != got {
			t.Errorf("%q: %q, then %q", s, got, again)
		}
		const seeded = "Zx81Q9vvT7"
		for _, name := range []string{"token", "password", "api_key", "id_token"} {
			if got := secret.CutURLs(s + " https://h.example/?a=1&" + name + "=" + seeded + "&b=2"); strings.Contains(got, seeded) {
				t.Errorf("%s is left: %q", name, got)
			}
		}
	})
}

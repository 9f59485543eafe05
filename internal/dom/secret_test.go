package dom

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func TestRead_secretFields(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]bool{
		`<input type=password>`:                                         true,
		`<input type=PASSWORD>`:                                         true,
		`<input autocomplete="billing cc-csc">`:                         true,
		`<input autocomplete=cc-exp>`:                                   true,
		`<input autocomplete=cc-name>`:                                  false,
		`<input autocomplete=one-time-code>`:                            true,
		`<input autocomplete=username>`:                                 false,
		`<input type=tel name=pin>`:                                     true,
		`<input type=number placeholder=CVV>`:                           true,
		`<label>Password <input></label>`:                               true,
		`<table><tr><td>Card number<td><input></table>`:                 true,
		`<textarea aria-label="Recovery phrase"></textarea>`:            true,
		`<input type=checkbox aria-label="Show password">`:              false,
		`<input type=submit value="Reset password">`:                    false,
		`<input type=search aria-label="Search password managers">`:     false,
		`<button>Forgot password?</button>`:                             false,
		`<select name=card_number><option>Visa</option></select>`:       false,
		`<input aria-label=Email value=a@b.c>`:                          false,
		`<input type=hidden name=password value=x><input aria-label=a>`: false,
		// the kinds of word, in label, name, placeholder and autocomplete
		`<label>Verification code <input></label>`:                                        true,
		`<input placeholder="Access token">`:                                              true,
		`<input name=client_secret>`:                                                      true,
		`<label>Hasło <input></label>`:                                                    true,
		`<p>Şifre: <input></p>`:                                                           true,
		`<textarea aria-label="Seed phrase"></textarea>`:                                  true,
		`<div contenteditable aria-label=Password>x</div>`:                                true,
		`<label id=l>Password</label><div contenteditable=true aria-labelledby=l>x</div>`: true,
		`<div role=textbox aria-label="Bearer token">x</div>`:                             true,
		`<div contenteditable aria-label=Comment>x</div>`:                                 false,
		`<input aria-label=Secretary>`:                                                    false,
		`<input aria-label="Passport number">`:                                            false,
		// what the author says it is counts before words
		`<input aria-label="PIN code">`:                                     true,
		`<input aria-label="PIN code" autocomplete="shipping postal-code">`: false,
		`<input name=login_pass_user autocomplete=username>`:                false,
		`<input type=email aria-label="Email for password reset">`:          false,
		`<input type=password autocomplete=postal-code>`:                    true,
	} {
		p := read1(t, html)
		if len(p.Elements) != 1 {
			t.Errorf("%s: %d elements", html, len(p.Elements))
		} else if got := p.Elements[0].State.Secret; got != want {
			t.Errorf("%s: secret %t, want %t", html, got, want)
		}
	}
}

// A value that stood in a secret field is cut out of the whole capture, and out
// of the page, however it is written there.
func TestRedact_whatSecretFieldsHeld(t *testing.T) {
	t.Parallel()
	const field = `<input type=password value="hunt&quot;er2">`
	for name, c := range map[string]page.Capture{
		"in a text":             {DOM: field + `<p>You typed hunt"er2</p>`},
		"in an alert":           {DOM: field + `<div role=alert>Wrong: HUNT"ER2!</div>`},
		"in another field":      {DOM: field + `<input data-llm-id=1 aria-label=Shown value='hunt"er2'>`},
		"in a name":             {DOM: field + `<button data-llm-id=1>Use hunt"er2</button><h1>hunt"er2</h1>`},
		"in a script":           {DOM: field + `<button data-llm-id=1>B</button><script>x="hunt\"er2"</script>`},
		"in an address":         {DOM: field + `<a href="/x?q=hunt%22er2">a</a>`},
		"in the title":          {DOM: field + `<title>hunt"er2</title><p>x</p>`, Title: `hunt"er2`},
		"in an option":          {DOM: field + `<select data-llm-id=1><option value='hunt"er2'>hunt"er2</select>`},
		"in a tree":             {DOM: field, Tree: []page.NodeV3{{ID: "1", Role: "btn", Name: `hunt"er2`}}},
		"of a tree":             {DOM: `<p>hunt"er2</p>`, Tree: []page.NodeV3{{ID: "1", Role: "inp", Name: "PIN", Value: `hunt"er2`}}},
		"of a hidden field":     {DOM: `<input type=hidden name=csrf_token value='hunt"er2'><p>hunt"er2</p>`},
		"of a text area":        {DOM: `<textarea name=api_key>hunt&quot;er2</textarea><p>hunt"er2</p>`},
		"of an editable":        {DOM: `<DIV ContentEditable aria-label=Password><b>hunt</b>"er2<div></div></DIV><p>hunt"er2</p>`},
		"of a labelled one":     {DOM: `<label id=l>Hasło</label><p role=textbox aria-labelledby=l data-llm-id=1>hunt"er2</p><h2>hunt"er2</h2>`},
		"in an editable around": {DOM: `<div contenteditable aria-label=Token>a <input type=password value='hunt"er2'> b</div>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, redacted, err := Reader{}.ReadRedacted(c)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(redacted.Secrets, `hunt"er2`) {
				t.Errorf("kept as secrets: %q", redacted.Secrets)
			}
			b, err := json.Marshal([]any{redacted, p, p.Before()})
			if text := strings.ToLower(string(b)); err != nil || containsAny(text, "er2", "hunt") {
				t.Errorf("%v %s", err, b)
			}
		})
	}
}

func TestRead_addresses(t *testing.T) {
	t.Parallel()
	c := page.Capture{
		URL: "https://shop.example/",
		DOM: `<a data-llm-id=1 href="https://jo:Zx81pw@shop.example/a?page=2">A</a><a data-llm-id=2 href="?a=1&amp;access_token=Zx81">B</a>
			<form action="/x?password=Zx81"><button data-llm-id=3>Go</button></form><p role=status>See https://x.example/#id_token=Zx81</p>`,
		Nodes: []page.Node{{ID: "9", Role: "link", Name: "C", Href: "/c?sig=Zx81"}},
	}
	p, redacted, err := Reader{}.ReadRedacted(c)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal([]any{p, redacted}); err != nil || strings.Contains(string(b), "Zx81") {
		t.Errorf("%v %s", err, b)
	}
	if !strings.Contains(redacted.DOM, `href="https://shop.example/a?page=2"`) {
		t.Error(redacted.DOM)
	}
}

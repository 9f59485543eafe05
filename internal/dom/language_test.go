package dom

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

func TestRead_language(t *testing.T) {
	t.Parallel()
	german := `<p>Hier ist die Liste der Bestellungen, die Sie mit Ihrem Konto aufgegeben haben, und das ist nicht alles.</p>`
	english := `<p>This is the list of the orders that you have placed with your account, and not all of it.</p>`
	for name, c := range map[string]struct{ html, want string }{
		"declared":                          {`<html lang=fr><p>Bonjour`, "fr"},
		"with a region":                     {`<html lang="pt-BR"><p>Olá`, "pt"},
		"as XML has it":                     {`<html xml:lang="de-AT"><p>Servus`, "de"},
		"of the body":                       {`<body lang=sv><p>Hej`, "sv"},
		"another name of it":                {`<html lang=no><p>Hei`, "nb"},
		"of no file":                        {`<html lang=eu><p>Kaixo`, "eu"},
		"not declared":                      {`<html>` + german, "de"},
		"of a template":                     {`<html lang=en>` + german, "de"},
		"declared, with some English":       {`<html lang=de>` + english, "de"},
		"English":                           {`<html lang=en>` + english, "en"},
		"English that is short":             {`<html lang=en><p>Save`, "en"},
		"a placeholder":                     {`<html lang="{{ locale }}">` + english, "en"},
		"by its script":                     {`<p>これはあなたの注文の一覧です。`, "ja"},
		"too little to tell":                {`<p>Save`, ""},
		"of a part of the page, not of all": {`<html><p lang=fr>Bonjour</p>` + english, "en"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := read1(t, c.html).Language; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	tree := page.Capture{URL: "https://a.test/", Mode: page.ModeSemanticV3}
	for _, s := range strings.Split("Hier ist die Liste|Zur Kasse und zu den Bestellungen|Sie sind nicht angemeldet|Das ist für Sie", "|") {
		tree.Tree = append(tree.Tree, page.NodeV3{ID: page.Scalar(s[:3]), Role: "btn", Name: page.Scalar(s)})
	}
	p, err := Reader{}.Read(tree)
	if err != nil || p.Language != "de" {
		t.Errorf("of a tree alone: %q, %v", p.Language, err)
	}
}

// The words of a message decide what it is about, its marks where the words do not.
func TestRead_alertKinds(t *testing.T) {
	t.Parallel()
	const e, s, o = page.AlertError, page.AlertSuccess, page.AlertOther
	for _, c := range []struct {
		html string
		want page.AlertKind
	}{
		{`<p role=status>Unsaved changes`, o}, {`<p role=status>Not saved`, e}, {`<p role=status>Order no. 4711 confirmed`, s}, {`<html lang=fr><p role=status>Commande n° 12 confirmée`, s},
		{`<p class=success>Unsaved changes`, o}, {`<p class=success>Could not be saved`, s}, {`<p class=success>4711`, s}, {`<p class=success>Saved?`, o}, {`<p class="alert success">Order no. 4711 confirmed`, s},
		{`<p class=error>Saved`, e}, {`<p class=error>Hm`, e}, {`<p role=alert>Saved`, s}, {`<p role=alert>No errors`, o}, {`<p role=alert>Your message will be sent when you are online`, o}, {`<p role=status>Save your changes?`, o},
		{`<html lang=de><p role=alert>Nicht gespeichert`, e}, {`<html lang=de><p role=status>Gespeichert`, s}, {`<p role=alert>Please accept our cookies`, o}, {`<p role=alert>Password incorrect`, e},
	} {
		if got := read1(t, c.html).Alerts; len(got) != 1 || got[0].Kind != c.want {
			t.Errorf("%s: %v, want %s", c.html, got, c.want)
		}
	}
}

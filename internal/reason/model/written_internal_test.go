package model

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

// Actions as models have written them, and what can only be meant by them.
func TestParseWritten(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`click('81'`:                               `click("81")`,
		`click("81"`:                               `click("81")`,
		`click("81"))`:                             `click("81")`,
		`click(81))`:                               `click("81")`,
		`click(81)`:                                `click("81")`,
		`click( "81" ) ;`:                          `click("81")`,
		`click("81").`:                             `click("81")`,
		"```click(\"81\")```":                      `click("81")`,
		"```js\nclick(\"81\")\n```":                `click("81")`,
		"```\nclick('81')":                         `click("81")`,
		"`click(81)`":                              `click("81")`,
		`Action: click("81")`:                      `click("81")`,
		`<action>click(81)</action>`:               `click("81")`,
		`click("81") to open the menu`:             `click("81")`,
		`I will press Save now: click("81")`:       `click("81")`,
		`click("81"), that is, click(81)`:          `click("81")`,
		`click([81])`:                              `click("81")`,
		`click(#81)`:                               `click("81")`,
		`click(id="81")`:                           `click("81")`,
		`click(element_id: 81)`:                    `click("81")`,
		`click(\"81\")`:                            `click("81")`,
		`click(“81”)`:                              `click("81")`,
		`click(‘81’)`:                              `click("81")`,
		`Tap("81")`:                                `click("81")`,
		`setValue(14, 'x')`:                        `setValue("14", "x")`,
		`setValue("14", “Jas”)`:                    `setValue("14", "Jas")`,
		`setValue(„14“, „Jas“)`:                    `setValue("14", "Jas")`,
		`setValue("14", Jas Miller)`:               `setValue("14", "Jas Miller")`,
		`setValue('14', 'O'Brien')`:                `setValue("14", "O'Brien")`,
		`setValue(2,'it's here')`:                  `setValue("2", "it's here")`,
		`setValue("14", "5" pipe")`:                `setValue("14", "5\" pipe")`,
		`setValue("14", "a (b)"`:                   `setValue("14", "a (b)")`,
		`setValue("14", "say “hi”"))`:              `setValue("14", "say “hi”")`,
		`set_value("14", "click(3)");`:             `setValue("14", "click(3)")`,
		`fill("14", "Jas")`:                        `setValue("14", "Jas")`,
		`type("14", "Jas")`:                        `setValue("14", "Jas")`,
		`type("Jas"))`:                             `type("Jas")`,
		`select_option("16", "South")`:             ``, // not a word anybody has been seen to use
		`selectOption("16", "South")`:              `setValue("16", "South")`,
		`press('ctrl+a'`:                           `press("Control+a")`,
		`presskey("esc")`:                          `press("Escape")`,
		`scroll(down))`:                            `scroll("down")`,
		`goBack())`:                                `goBack()`,
		`finish()`:                                 `finish()`,
		`finish(all done)`:                         `finish("all done")`,
		`wait(seconds=2)`:                          `wait(2)`,
		`drag(from="1", to="2")`:                   `drag("1", "2")`,
		`goto("https://a.example/x")`:              `navigate("https://a.example/x")`,
		"setValue(\"14\", \"one\ntwo\"))":          `setValue("14", "one\ntwo")`,
		`setValue("14", "C:\\temp"))`:              `setValue("14", "C:\\temp")`,
		`click(17); click(14)`:                     ``,
		`click("1") then click("2")`:               ``,
		`click('81`:                                ``,
		`click(81`:                                 ``,
		`setValue("14", "Ja`:                       ``,
		`setValue("14", "a", "b"`:                  ``,
		`setValue(14, Jas`:                         ``,
		`setValue("14", "He said "hi", then "no")`: ``,
		`explode(1)`:                               ``,
		`the button`:                               ``,
		`click()`:                                  ``,
		`doubleclick("81")`:                        ``,
		``:                                         ``,
	} {
		t.Run(written, func(t *testing.T) {
			t.Parallel()
			got, err := parseWritten(written)
			if err == nil && got.String() != want || err != nil && want != "" {
				t.Errorf("read as %s, %v; want %s", got, err, want)
			}
		})
	}
}

// Whatever is read is a valid action, and what is valid is read as it is.
func FuzzParseWritten(f *testing.F) {
	for _, s := range []string{`click('81'`, "```setValue(14, “x”)```", `press(Enter))`, `finish(all done)`, `setValue("1", "a\nb")`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseWritten(s)
		if err != nil {
			return
		}
		if err := a.Validate(); err != nil {
			t.Fatalf("%q is read as %s: %v", s, a, err)
		}
		if strict, err := action.Parse(strings.TrimSpace(s)); err == nil && strict != a {
			t.Fatalf("%q is read as %s, and is %s", s, a, strict)
		}
	})
}

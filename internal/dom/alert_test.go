package dom

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
)

func TestRead_alerts(t *testing.T) {
	t.Parallel()
	const e, s, o = page.AlertError, page.AlertSuccess, page.AlertOther
	long := strings.Repeat("much text ", 40)
	for name, c := range map[string]struct {
		html string
		want []page.Alert
	}{
		"role alert":                           {`<p role=alert>Hello</p>`, []page.Alert{{Kind: o, Text: "Hello"}}},
		"role status":                          {`<output role="status">2 items</output>`, []page.Alert{{Kind: o, Text: "2 items"}}},
		"class error":                          {`<p class="msg error">No</p>`, []page.Alert{{Kind: e, Text: "No"}}},
		"class success":                        {`<p class=success>0 errors</p>`, []page.Alert{{Kind: s, Text: "0 errors"}}},
		"class alert with a variant":           {`<p class="alert alert-danger">Hm</p>`, []page.Alert{{Kind: e, Text: "Hm"}}},
		"a toast by its words":                 {`<p class=toast>Changes saved</p>`, []page.Alert{{Kind: s, Text: "Changes saved"}}},
		"an error beats a success in words":    {`<p class=toast>Could not be saved</p>`, []page.Alert{{Kind: e, Text: "Could not be saved"}}},
		"data-toast":                           {`<p data-toast>Hi</p>`, []page.Alert{{Kind: o, Text: "Hi"}}},
		"an error class inside a role":         {`<p role=alert><b class=error>Bad zip</b></p>`, []page.Alert{{Kind: e, Text: "Bad zip"}}},
		"another word with the class inside":   {`<p class="alerts errors toasty">No</p>`, nil},
		"a class on the body":                  {`<body class=error><p>Text</p>`, nil},
		"a class on a link":                    {`<a href=/ class=alert>Text</a>`, nil},
		"a box around fields":                  {`<div class=error>Zip <input></div>`, nil},
		"a role around fields is a message":    {`<div role=alert>Enter the code <input></div>`, []page.Alert{{Kind: o, Text: "Enter the code"}}},
		"a part of the page with an odd class": {`<div class=success>` + long + `</div>`, nil},
		"a message inside such a part":         {`<div class=success>` + long + `<p class=error>No</p></div>`, []page.Alert{{Kind: e, Text: "No"}}},
		"a long message by role is cut":        {`<div role=alert>` + long + `</div>`, []page.Alert{{Kind: o, Text: page.Cut(long, maxAlertText)}}},
		"only an icon":                         {`<p class=error>*</p><p role=alert> × </p>`, nil},
		"empty":                                {`<div role=status></div>`, nil},
		"buttons are not part of it":           {`<p role=alert>Saved <button>Undo</button></p>`, []page.Alert{{Kind: s, Text: "Saved"}}},
		"blocks are words":                     {`<div role=alert><p>One</p><p>Two</p></div>`, []page.Alert{{Kind: o, Text: "One Two"}}},
		"hidden":                               {`<div hidden><p role=alert>No</p></div><p role=alert style="opacity:0">No</p>`, nil},
		"a region of toasts":                   {`<div role=status><p class=toast>A</p><p class=toast>B</p></div>`, []page.Alert{{Kind: o, Text: "A"}, {Kind: o, Text: "B"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, read1(t, c.html).Alerts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

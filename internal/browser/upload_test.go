package browser

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stepledger/stepledger/domain/action"
)

func upload(id, name string) action.Action {
	return action.Action{Name: action.Upload, Target: id, Text: name}
}

// allow lets a tab upload these files.
func (t *Tab) allow(names ...string) {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte("content of " + name)}
	}
	t.opts.Files = files
}

// Given a way of a page to take a file, when one is uploaded to what is seen of it, then
// the page has it.
func TestTab_Execute_Uploads(t *testing.T) {
	t.Parallel()
	const shows = `<output></output><script>
		window.show = async (files) => { document.querySelector('output').textContent = [...files].map((f) => f.name).join() + ': ' + await files[0].text() };
		addEventListener('change', (e) => show(e.target.files));
		</script>`
	for name, tt := range map[string]struct{ html, on string }{
		"a field":                  {`<input type=file aria-label=Report>`, "Report"},
		"a label of a hidden one":  {`<label style="border:1px solid">Report <input type=file hidden></label>`, "Report"},
		"a label beside it":        {`<label for=f style="border:1px solid">Report</label><input id=f type=file style="display:none">`, "Report"},
		"a button beside it":       {`<div><input type=file style="display:none"><button onclick="this.previousElementSibling.click()">Report</button></div>`, "Report"},
		"a button far from it":     {`<div><div><div><input id=f type=file hidden></div></div></div><p><span><b><button onclick="f.click()">Report</button></b></span></p><input type=file aria-label=Other>`, "Report"},
		"one that is in no page":   {`<button onclick="const f = document.createElement('input'); f.type = 'file'; f.onchange = () => show(f.files); f.click()">Report</button>`, "Report"},
		"a zone with a field":      {`<div role=button tabindex=0 style="height:90px">Report<input type=file hidden></div>`, "Report"},
		"a zone without a field":   {`<div role=button tabindex=0 style="height:90px" ondragover="event.preventDefault()" ondrop="event.preventDefault(); show(event.dataTransfer.files)">Report</div>`, "Report"},
		"a field in a frame":       {`<iframe srcdoc="<input type=file aria-label=Report onchange='parent.show(this.files)'>"></iframe>`, "Report"},
		"a field in a shadow tree": {`<my-file></my-file><script>document.querySelector('my-file').attachShadow({mode: 'open'}).innerHTML = '<input type=file aria-label=Report onchange="show(this.files)">'</script>`, "Report"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, tt.html+shows)
			tab.allow("report.pdf", "2024/old.pdf")
			for file, want := range map[string]string{"report.pdf": "report.pdf: content of report.pdf", "2024/old.pdf": "old.pdf: content of 2024/old.pdf"} {
				c := tab.mustCapture(t)
				target := ""
				for _, n := range c.Tree {
					if strings.HasPrefix(string(n.Name), tt.on) && target == "" {
						target = string(n.ID)
					}
				}
				if target == "" {
					t.Fatalf("there is no %s in\n%s\n%s", tt.on, treeText(c), c.DOM)
				}
				tab.does(t, upload(target, file))
				if c = tab.mustCapture(t); !strings.Contains(c.DOM, want) {
					t.Errorf("the page does not have %q:\n%s", want, c.DOM)
				}
			}
		})
	}
}

// A file that the user has not allowed is not to be had, and what there is is named.
func TestTab_Execute_UploadsOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<input type=file aria-label=Report><button onclick="document.querySelector('input').click()">Choose</button>`)
	c := tab.mustCapture(t)
	field := id(t, c, "btn", "Report")
	tab.fails(t, upload(field, "report.pdf"), CodeNoFile)
	if _, shown, err := NewHand(tab, "x").Request(t.Context()); err != nil || action.Declared(tab.Capabilities()).CanDo(action.Upload) {
		t.Errorf("declared without files: %v, %v", shown, err)
	}
	tab.allow("report.pdf")
	for _, name := range []string{"other.pdf", "../report.pdf", "/etc/passwd", "."} {
		if r := tab.fails(t, upload(field, name), CodeNoFile); !strings.Contains(r.Error.Message, "report.pdf") {
			t.Errorf("%s: %s", name, r.Error.Message)
		}
	}
	body, _, err := NewHand(tab, "x").Request(t.Context())
	if err != nil || !strings.Contains(string(body), `"upload"`) {
		t.Errorf("upload is not declared: %v", err)
	}
	// A click that opens the choice of files ends, and says so.
	if r := tab.does(t, click(id(t, c, "btn", "Choose"))); !strings.Contains(strings.Join(r.RecentEvents, " "), "the page asks for a file") {
		t.Errorf("events %q", r.RecentEvents)
	}
}

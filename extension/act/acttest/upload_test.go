package acttest

import "testing"

func TestUpload_GivesTheFile(t *testing.T) {
	t.Parallel()
	const read = ` onchange="log('change', this.files.length, this.files[0].name, this.files[0].type); this.files[0].text().then((x) => log(x))"`
	for name, tt := range map[string]string{
		"to its field":                          `<input type=file id=a` + read + `>`,
		"to a field behind its label":           `<label id=a>Choose <input type=file style="display: none"` + read + `></label>`,
		"to a field behind a label beside it":   `<input type=file id=f hidden` + read + `><label id=a for=f>Choose</label>`,
		"to a hidden field":                     `<button>Choose</button><input type=file id=a hidden` + read + `>`,
		"to the field that a button stands for": `<div><button id=a onclick="f.click()">Choose</button><input type=file id=f hidden` + read + `></div>`,
		"by a drop":                             `<div id=a style="height: 80px" ondragover="event.preventDefault()" ondrop="event.preventDefault(); const f = event.dataTransfer.files[0]; log('change', event.dataTransfer.files.length, f.name, f.type); f.text().then((x) => log(x))">Drop here</div>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt)
			o.file = `{name: "report.txt", type: "text/plain", data: btoa("abc")}`
			o.must("upload", "#a", "report.txt")
			o.asks("new Promise((r) => setTimeout(r, 20, 1))")
			o.saw("change 1 report.txt text/plain", "abc")
		})
	}
}

func TestUpload_IsRefused(t *testing.T) {
	t.Parallel()
	o := page(t, `<input type=file id=a aria-label=Report><input type=file id=b disabled>`)
	o.refuses("NO_FILE", "no file", "upload", "#a", "report.txt")
	o.file = `{name: "report.txt", type: "text/plain", data: ""}`
	o.refuses("ELEMENT_DISABLED", "disabled", "upload", "#b", "report.txt")
	o.show(`<button id=a>Choose</button>`)
	o.refuses("ELEMENT_NOT_EDITABLE", "takes no file", "upload", "#a", "report.txt")
}

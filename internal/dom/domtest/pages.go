package domtest

import (
	"fmt"
	"strings"
)

// Shape is a kind of page.
type Shape struct {
	// Suffix names it in a figure: "" for the form, "_article", "_table".
	Suffix string
	// Page is one of the size in bytes.
	Page func(size int) string
}

// Shapes are the kinds of page the benchmarks read. Each has what real pages
// have around their elements: nested boxes with long classes, icons drawn in
// place, help texts, hidden fields, state in scripts. Of 44 captured pages
// larger than 30 kB the middle one has an element for every 1,100 bytes, and
// ten have one for less than 650; these have one for every 570 (form), 550
// (table) and 1,130 (article).
var Shapes = []Shape{{"", FormPage}, {"_article", articlePage}, {"_table", tablePage}}

const icon = `<svg class="h-5 w-5 shrink-0 text-gray-400" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" fill="currentColor" aria-hidden="true"><path fill-rule="evenodd" d="M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16Zm-7-4a7 7 0 1 1 14 0 7 7 0 0 1-14 0Zm9-3a1 1 0 1 1-2 0 1 1 0 0 1 2 0Zm-7-4a.75.75 0 0 0 0 1.5h.253a.25.25 0 0 1 .244.304l-.459 2.066A1.75 1.75 0 0 0 10.747 15H11a.75.75 0 0 0 0-1.5h-.253a.25.25 0 0 1-.244-.304Z" clip-rule="evenodd"></path></svg>`

// FormPage is a form-rich page: labelled fields, selects, rows with buttons,
// prose between them.
func FormPage(size int) string {
	return repeated(size, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, `<section class="card shadow-sm rounded-lg border border-gray-200 p-4" aria-label="Order %[1]d"><div class="card-header flex items-center justify-between"><h2 class="text-lg font-semibold">Order %[1]d</h2>`+icon+`</div><p class="mt-1 text-sm text-gray-500">Placed by a customer on day %[1]d; it has <b>three</b> lines and ships soon. Changes are possible until it has left the warehouse; after that a return can be asked for, which is free within fourteen days and takes about a week to be paid back to the card or account the order was paid from.</p>
<dl class="mt-4 grid grid-cols-1 gap-x-4 gap-y-2 sm:grid-cols-3"><div class="sm:col-span-1"><dt class="text-sm font-medium text-gray-500">Received</dt><dd class="text-sm text-gray-900"><time datetime="2026-03-04T10:15:00Z">4 March 2026</time></dd></div><div class="sm:col-span-1"><dt class="text-sm font-medium text-gray-500">Warehouse</dt><dd class="text-sm text-gray-900">Springfield, hall %[1]d</dd></div><div class="sm:col-span-1"><dt class="text-sm font-medium text-gray-500">Weight</dt><dd class="text-sm text-gray-900">4.2 kg in two parcels, of which one is fragile</dd></div></dl>
<form class="mt-4 space-y-6" action="/orders/%[1]d" accept-charset="UTF-8" method="post"><input type="hidden" name="_method" value="patch" autocomplete="off"><input type="hidden" name="authenticity_token" value="kq3Yc0m1S9vVb2o7cQeXr5u8wE4nTzLpAhGdJfRiKsMxZy%[1]d" autocomplete="off">
<div class="form-group row mb-3"><label class="col-sm-2 col-form-label required" for="name-%[1]d">Name</label><div class="col-sm-10"><input class="form-control rounded-md border-gray-300" id="name-%[1]d" name="order[name]" data-llm-id="%[1]d1" value="Customer %[1]d" aria-describedby="name-help-%[1]d"><small class="form-text text-muted" id="name-help-%[1]d">`+icon+` As it is to stand on the parcel.</small></div></div>
<div class="form-group row mb-3"><label class="col-form-label">Email <input type="email" class="form-control rounded-md border-gray-300" data-llm-id="%[1]d2" required placeholder="you@example.test"></label><div class="invalid-feedback d-none">`+icon+` This does not look like an address.</div></div>
<div class="form-group row mb-3"><span class="col-sm-2 col-form-label">Quantity</span><input type="number" class="form-control" min="1" max="99" step="1" data-llm-id="%[1]d3" value="%[1]d"></div>
<div class="form-group row mb-3"><select class="form-select" data-llm-id="%[1]d4" aria-label="Status"><option value="o">Open</option><option value="p" selected>Paid</option><option value="s">Sent</option></select></div>
<div class="form-check"><label class="form-check-label"><input type="checkbox" class="form-check-input" data-llm-id="%[1]d5" checked> Gift</label></div>
<table class="table table-sm"><tr><td class="align-middle">Lamp</td><td class="text-end"><button type="button" data-llm-id="%[1]d6" class="btn btn-outline-danger btn-sm">Delete</button></td></tr><tr><td class="align-middle">Chair</td><td class="text-end"><button type="button" data-llm-id="%[1]d7" class="btn btn-outline-danger btn-sm">Delete</button></td></tr></table>
<div role="alert" class="alert error">Order %[1]d needs attention</div><div class="d-flex justify-content-end"><button data-llm-id="%[1]d8" class="btn btn-primary me-2">Save</button> <a class="btn btn-link" href="/orders/%[1]d" data-llm-id="%[1]d9">Details</a></div></form></section>`, i)
	})
}

// articlePage is an encyclopedia's: sections of prose with links and footnotes,
// a list, a figure.
func articlePage(size int) string {
	return repeated(size, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, `<section><div class="heading heading2"><h2 id="Section_%[1]d">Section %[1]d</h2><span class="editsection"><span class="bracket">[</span><a href="/edit?title=Lighthouse&amp;section=%[1]d" title="Edit section %[1]d"><span>edit</span></a><span class="bracket">]</span></span></div>
<figure class="thumb right" typeof="File/Thumb"><a href="/file/%[1]d.jpg" class="file-description"><img src="/thumb/%[1]d.jpg" srcset="/thumb/%[1]d-330.jpg 1.5x, /thumb/%[1]d-440.jpg 2x" alt="A lighthouse on the coast" width="220" height="165" class="file-element" decoding="async" data-file-width="4000" data-file-height="3000"></a><figcaption>The lighthouse in the year %[1]d, seen from the harbour after the great storm; the wall in front of it was built later.</figcaption></figure>
<p>The <b>lighthouse</b> was built by <a href="/wiki/Engineer_%[1]d" title="Engineer %[1]d">engineer %[1]d</a> on the northern cliff, where the currents had taken <i>many ships</i> in the winter storms.<sup id="cite-%[1]d" class="reference"><a href="#note-%[1]d"><span class="bracket">[</span>%[1]d<span class="bracket">]</span></a></sup> Its light was seen for twenty miles, and the keeper lived beside it with his family until the lamp was made to turn by itself. In the first years the oil was carried up the stairs by hand, four cans a night, and the wick was trimmed every third hour; a lens of ground glass from the mainland, which took eleven men and two days to raise, made the flame of one lamp do the work of nine.</p>
<p>Visitors reach it by a path along the shore, past the <a href="/wiki/Harbour" title="Harbour">old harbour</a> and the ropewalk; in spring the meadow behind it is full of birds&nbsp;– terns, plovers and a few puffins&nbsp;– that the village counts every year. The count of the year %[1]d was the largest since the war, and the parish has since asked that dogs be led there from March to July. A small museum in the oil store shows the old lens, the log books of three keepers, and a model of the ship whose loss had moved the town to build the tower in the first place; it is open on the days on which the ferry runs.</p>
<p>Its stone came from the quarry on the island across the sound, by boat and only in calm weather, so that the work took six summers. The walls are two metres thick at the foot and taper to sixty centimetres under the gallery. When the tower was struck by lightning the dome was lost, and for a winter a lamp on a pole stood in its place. The keepers wrote of that winter that no night was without a ship at anchor in the roads, waiting for the day.</p>
<p>Since the light was made electric the lamp is watched from the mainland. The fog signal, a trumpet driven by air from two iron tanks that can still be seen beside the door, was last sounded for a visit of the minister; the neighbours, who had been asked, agreed to a single blast. In the thirties the tower was painted in bands of red and white, which were found to be seen a mile further in haze than the bare stone, and it has been painted so, every seventh summer, ever since. The paint is carried up inside in cans of ten litres, because the wind on the gallery takes anything that is larger.</p>
<p>Of the three houses at its foot one is let to guests; the second is the warden's, who counts the birds; and the third has had no roof since a boat shed was blown against it. The wall around the garden was built by the second keeper against the goats of the first.</p>
<p>The island has a school again since the ferry runs daily: nine pupils in one room, of whom four are the warden's. They have measured the erosion of the cliff with a rope and a plumb line every spring for twelve years, and their figures, which are kept in the oil store beside the lens, were used when the path was moved inland. On the last day of the school year the lamp is lit for them by hand, as it was done in the beginning, and put out again before the ships can see it.</p>
<p>Two wrecks lie within sight of the gallery at low water. The older is a collier that missed the entrance in fog and was broken up by its owners for the iron; the other, a trawler of no great age, slipped its mooring in the harbour with nobody on board, drifted through the sound against the tide and came ashore under the tower on the only night of the year on which the lamp had failed. The court could not decide whose fault that was, and the parish has left it where it is.</p>
<p>In the register of monuments the lighthouse stands with its houses, the wall, the oil store, the trumpet and the rails on which coal was drawn up from the landing; the landing itself was taken by the sea in the storm of the year before the register was begun. A plan to sell the houses was given up after a vote, in which the warden, as he has said since, did not take part.</p>
<div class="hatnote note-inline"><span class="plainlinks nowrap">This section needs more sources than the log books of the keepers.</span></div>
<ul><li>Height: 41&nbsp;m</li><li>Range: 20 miles</li><li><a href="/wiki/List_of_lighthouses_%[1]d">List of lighthouses</a></li></ul>
<table class="infobox vcard"><caption class="infobox-title fn">Lighthouse %[1]d</caption><tbody><tr><th scope="row" class="infobox-label">Built</th><td class="infobox-data"><time datetime="1871">1871</time></td></tr><tr><th scope="row" class="infobox-label">Construction</th><td class="infobox-data">Stone <span class="nowrap">(tower)</span></td></tr><tr><th scope="row" class="infobox-label">Height</th><td class="infobox-data"><span class="nowrap">41&nbsp;m</span> <span class="nowrap">(135&nbsp;ft)</span></td></tr><tr><th scope="row" class="infobox-label">Lens</th><td class="infobox-data"><i>first order</i> Fresnel</td></tr></tbody></table>
<ol class="references"><li id="note-%[1]d"><span class="cite-backlink"><b>^</b></span> <span class="reference-text"><cite class="citation book">Keeper, A. (1931). <i>Lights of the north</i>. Springfield: Harbour Press. <abbr class="nowrap" title="Page">p.</abbr>&nbsp;%[1]d.</cite><span class="coins" title="ctx_ver=Z39.88-2004&amp;rft.genre=book&amp;rft.btitle=Lights+of+the+north&amp;rft.pages=%[1]d"></span></span></li></ol></section>`, i)
	})
}

// tablePage is a back office's list: rows of cells, each with the same controls.
func tablePage(size int) string {
	return repeated(size, func(b *strings.Builder, i int) {
		if i%50 == 0 {
			if i > 0 {
				b.WriteString("</tbody></table>")
			}
			fmt.Fprintf(b, `<table class="table table-striped table-hover" aria-label="Invoices %d"><thead><tr><th scope="col"><input type="checkbox" aria-label="Select all"></th><th scope="col" aria-sort="descending"><button class="sort">Number</button></th><th scope="col">Customer</th><th scope="col">Due</th><th scope="col">Amount</th><th></th></tr></thead><tbody>`, i)
		}
		fmt.Fprintf(b, `<tr class="table-row even:bg-gray-50 row-%[1]d" data-row-key="%[1]d" data-state="open"><td class="cell cell-select w-10 px-3 py-2"><div class="checkbox-wrapper inline-flex"><input type="checkbox" class="checkbox" name="selected" value="%[1]d"></div></td><td class="cell cell-number px-3 py-2 font-mono"><a class="link link-hover" href="/invoices/%[1]d">INV-%[1]d</a></td><td class="cell cell-customer px-3 py-2"><div class="customer flex items-center gap-2"><img class="avatar rounded-full" src="/avatars/%[1]d.png" alt="" width="24" height="24" loading="lazy"><div class="customer-text"><div class="customer-name font-medium">Customer %[1]d</div><div class="customer-city text-xs text-gray-500">Springfield</div></div></div></td><td class="cell cell-date px-3 py-2"><time datetime="2026-03-%02[2]dT00:00:00Z">2026-03-%02[2]d</time></td><td class="cell cell-amount px-3 py-2 text-right tabular-nums">%[1]d.00</td><td class="cell cell-progress px-3 py-2"><div class="progress h-2 w-full rounded bg-gray-200"><div class="progress-bar h-2 rounded bg-emerald-500" style="width: 40%%"></div></div><span class="progress-text text-xs text-gray-500">2 of 5 paid</span></td><td class="cell cell-tags px-3 py-2"><span class="badge badge-success">paid</span> <span class="badge badge-info">net 30</span></td><td class="cell cell-actions px-3 py-2 text-right whitespace-nowrap"><a class="btn btn-sm btn-ghost" href="/invoices/%[1]d/edit" data-llm-id="e%[1]d">Edit</a> <button type="button" class="btn btn-sm btn-ghost text-red-600" data-llm-id="d%[1]d">`+icon+`<span class="sr-only">Delete</span></button></td></tr>`, i, i%28+1)
	})
}

// repeated repeats a part until the page has the size. A tenth of it is what
// applications hand to their scripts.
func repeated(size int, part func(b *strings.Builder, i int)) string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Orders</title><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/assets/application.css"><style>.d-none{display:none}.sr-only{position:absolute;width:1px;height:1px}</style><script>window.__STATE__=[`)
	for i := 0; b.Len() < size/10; i++ {
		fmt.Fprintf(&b, `{"id":%d,"state":"open","lines":[{"sku":"lamp","n":1},{"sku":"chair","n":4}]},`, i)
	}
	b.WriteString(`]</script></head><body class="antialiased"><div id="root"><main class="container mx-auto">`)
	for i := 0; b.Len() < size; i++ {
		part(&b, i)
	}
	b.WriteString("</main></div></body></html>")
	return b.String()
}

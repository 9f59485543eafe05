package acttest

import "testing"

func TestDrag_MovesAPointer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, expression, want string }{
		"a slider drawn of boxes that listens on the document": {`<div id=track style="position: relative; width: 300px; height: 20px; background: #ccc"><div id=a style="position: absolute; width: 20px; height: 20px; background: red"></div></div><p id=b style="position: absolute; left: 250px; top: 60px; width: 20px; margin: 0">x</p>
			<script>a.onmousedown = () => { const move = (e) => { a.style.left = Math.round(e.clientX - 10) + "px" }; document.addEventListener("mousemove", move); document.addEventListener("mouseup", () => document.removeEventListener("mousemove", move)) }</script>`, "a.style.left", "250px"},
		"a slider that captures the pointer": {`<div id=a style="position: absolute; width: 20px; height: 20px; background: red"></div><p id=b style="position: absolute; left: 250px; top: 60px; width: 20px; margin: 0">x</p>
			<script>a.onpointerdown = (e) => { a.setPointerCapture(e.pointerId); log("down", a.hasPointerCapture(e.pointerId)) }; a.onpointermove = (e) => { if (a.hasPointerCapture(e.pointerId)) a.style.left = Math.round(e.clientX - 10) + "px" }; a.onpointerup = (e) => a.releasePointerCapture(e.pointerId); a.onlostpointercapture = () => log("lost")</script>`, "a.style.left + saw", "250pxdown true,lost"},
		"a slider of mouse that moves under it": {`<div id=a style="position: absolute; width: 20px; height: 20px; background: red"></div><p id=b style="position: absolute; left: 250px; top: 60px; width: 20px; margin: 0">x</p>
			<script>let on = false; a.onmousedown = (e) => { on = true; e.preventDefault() }; window.onmousemove = (e) => { if (on && e.buttons === 1) a.style.transform = "translateX(" + (e.pageX - 10) + "px)" }; window.onmouseup = () => { on = false; log("up") }</script>`, "Math.round(new DOMMatrix(a.style.transform).e) + ' ' + saw", "250 up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := page(t, tt.body)
			o.must("drag", "#a", "#b")
			o.is(tt.expression, tt.want)
		})
	}
}

const board = `<div id=a draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'card'); log('dragstart')" ondragend="log('dragend', event.dataTransfer.dropEffect)">Card</div>
	<div id=b style="height: 80px; width: 200px; margin-top: 40px; background: #eee"
		ondragenter="log('dragenter')" ondragover="event.preventDefault(); this.className = 'over'" ondragleave="log('dragleave')" ondrop="event.preventDefault(); this.append(a); log('drop', event.dataTransfer.getData('text/plain'))">Box</div>`

func TestDrag_AndDropOfTheBrowser(t *testing.T) {
	t.Parallel()
	o := page(t, board)
	o.must("drag", "#a", "#b")
	o.saw("dragstart", "dragenter", "drop card", "dragend none")
	o.is("b.contains(a) + b.className", "trueover")
	o.show(`<ul id=list style="padding: 0"></ul><script>
		for (const n of [1, 2, 3, 4]) list.insertAdjacentHTML("beforeend", "<li draggable=true id=i" + n + " style='height: 40px'>" + n + "</li>")
		let dragged
		list.ondragstart = (e) => { dragged = e.target }
		list.ondragover = (e) => { e.preventDefault(); const li = e.target.closest("li"); if (li && li !== dragged) list.insertBefore(dragged, e.clientY > li.getBoundingClientRect().y + 15 ? li.nextSibling : li) }
		list.ondrop = (e) => { e.preventDefault(); log([...list.children].map((li) => li.textContent).join("")) }
	</script>`)
	o.must("drag", "#i1", "#i3")
	o.saw("2314")
	// What takes no drop gets none.
	o.show(`<div id=a draggable=true ondragend="log('dragend')">Card</div><div id=b style="height: 80px" ondrop="log('drop')">Box</div>`)
	o.must("drag", "#a", "#b")
	o.saw("dragend")
}

func TestDrag_IsRefused(t *testing.T) {
	t.Parallel()
	o := page(t, `<div id=a onmousedown="log('down')">Card</div><div style="height: 3000px"></div><div id=b>Box</div>`)
	o.refuses("ELEMENT_NOT_VISIBLE", "together", "drag", "#a", "#b")
	o.saw()
	o.show(`<button id=a>Card</button><div style="position: relative"><button id=b>Box</button><div style="position: absolute; inset: 0">Shade</div></div>`)
	o.refuses("ELEMENT_NOT_VISIBLE", "together", "drag", "#a", "#b")
	o.refuses("ELEMENT_OCCLUDED", "Shade", "drag", "#b", "#a")
}

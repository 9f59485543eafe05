/**
 * In the page's own world: which element a page captures the pointer with. The browser
 * captures it for a real button alone, so a drag made of events is told here where it goes.
 * It only tells: nothing here does anything to the page.
 */

const CAPTURED = "stepledger:captured"
const LET_GO = "stepledger:let-go"

/** watchPointer begins to tell. */
export const watchPointer = () => {
  const proto = Element.prototype
  const { setPointerCapture, releasePointerCapture, hasPointerCapture, dispatchEvent } = proto
  const tell = (el: Element, type: string) => dispatchEvent.call(el, new Event(type, { bubbles: true, composed: true }))
  let captor: Element | null = null

  proto.setPointerCapture = function (this: Element, id: number) {
    setPointerCapture.call(this, id)
    captor = this
    tell(this, CAPTURED)
  }
  proto.releasePointerCapture = function (this: Element, id: number) {
    if (captor !== this || hasPointerCapture.call(this, id)) releasePointerCapture.call(this, id)
    if (captor === this) captor = null
    tell(this, LET_GO)
  }
  proto.hasPointerCapture = function (this: Element, id: number) {
    return hasPointerCapture.call(this, id) || captor === this
  }
  addEventListener("pointerup", () => { captor = null })
  addEventListener("pointercancel", () => { captor = null })
}

/**
 * In the page's own world: which timers an action has set. What its handlers
 * leave for a moment later, and what that leaves again, belongs to the action: a
 * value that is taken back, a list that is drawn after a pause.
 */
(() => {
  const ASK = "stepledger:scheduled?"
  const ANSWER = "stepledger:scheduled"
  let isThere = false
  const hear = () => { isThere = true }
  document.addEventListener(ANSWER, hear)
  document.dispatchEvent(new Event(ASK))
  document.removeEventListener(ANSWER, hear)
  if (isThere) return // it is put into a document again and again

  const EVENTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "keydown", "keyup", "input", "change", "submit", "focusin"]
  const LONGEST = 1000 // milliseconds; a longer pause is one a person would notice
  const DEEPEST = 3 // timers set by timers; a clock sets one for ever

  const later = window.setTimeout
  const never = window.clearTimeout
  const due = new Set()
  let depth = 0 // how far from the action what runs now is; 0: not of it
  let end = 0

  // begin holds for the task that runs now, and no longer.
  const begin = (d: number) => {
    depth = d
    never.call(window, end)
    end = later.call(window, () => (depth = 0), 0)
  }

  window.setTimeout = function setTimeout(f, ms, ...args) {
    const d = depth
    if (d === 0 || d > DEEPEST || !(ms !== undefined && ms > 0 && ms <= LONGEST) || typeof f !== "function") return later.call(window, f, ms, ...args)
    const id = later.call(window, () => {
      due.delete(id)
      begin(d + 1)
      f.apply(window, args)
    }, ms)
    due.add(id)
    return id
  }
  window.clearTimeout = function clearTimeout(id) {
    due.delete(id)
    never.call(window, id)
  }

  EVENTS.forEach((e) => addEventListener(e, () => begin(1), { capture: true, passive: true }))
  document.addEventListener(ASK, () => document.dispatchEvent(new CustomEvent(ANSWER, { detail: due.size })))
})()

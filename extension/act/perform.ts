/**
 * Does one action in this document, at most once for its token. What a document has done it
 * remembers as long as it lives; no value that was typed is among that.
 */

import type { ActResult, Action, Failure, Perform, Performed } from "../protocol"
import { page } from "../page/index"
import { type Doing, Refused, pause, quoted } from "./doing"
import { drag } from "./drag"
import { press } from "./keyboard"
import { click, moveTo } from "./mouse"
import { aim, hidden, placeOf, reach } from "./target"
import { setValue, typeText } from "./text"
import { tell } from "./tell"
import { upload } from "./upload"

interface Deed { begun: boolean, real?: true, result?: ActResult, ended: Promise<ActResult> }

const deeds = new Map<string, Deed>()

/** perform does an action. It never rejects: what the page does not allow is in the result.
 * Asked again with the same token, it does nothing and gives what came of it. */
export const perform = (p: Perform): Promise<ActResult> => {
  const known = deeds.get(p.token)
  if (known) return known.ended
  const deed: Deed = { begun: false, ended: Promise.resolve({ done: false }) }
  deeds.set(p.token, deed)
  deed.ended = run(p, deed)
  return deed.ended
}

/** performed says what this document knows of a token. */
export const performed = (token: string): Performed => {
  const deed = deeds.get(token)
  if (deed?.result) return { state: "done", result: deed.result }
  return deed?.begun ? { state: "begun", ...(deed.real && { real: true }) } : { state: "unknown" }
}

/** began notes that an action of the real mouse or keyboard is about to begin: it is never
 * done again. */
export const began = (token: string): void => {
  if (!deeds.has(token)) deeds.set(token, { begun: true, real: true, ended: new Promise(() => undefined) })
}

/** ended notes what came of an action that began. */
export const ended = (token: string, result: ActResult): void => {
  deeds.set(token, { begun: true, result, ended: Promise.resolve(result) })
}

/** aimAt finds an element, and the point at which the real mouse hits it, without touching
 * it. It never rejects. */
export const aimAt = async (id: string, expect?: Perform["expect"], ids?: Perform["ids"]) => {
  const result: ActResult = { done: true }
  try {
    const { id: found, about, place } = await aim(id, expect, { begin: () => {}, result, ids })
    const { kind, checked, readonly, secret, role, name } = about
    const { recovered, ids: given } = result
    return { id: found, x: place.x, y: place.y, kind, checked, readonly, secret, role, name, ...(recovered && { recovered }), ...(given && { ids: given }) }
  } catch (e) {
    return { error: failureOf(e) }
  }
}

const failureOf = (e: unknown): Failure =>
  e instanceof Refused ? { code: e.code, message: e.message } : { code: "INVALID_ACTION", message: `the page's side failed (${(e as Error)?.name ?? "error"})` }

const run = async (p: Perform, deed: Deed): Promise<ActResult> => {
  const result: ActResult = { done: true }
  try {
    await act(p, { begin: () => { deed.begun = true }, result, ids: p.ids })
  } catch (e) {
    result.done = false
    result.error = failureOf(e)
  }
  deed.result = result
  return result
}

const act = async ({ action, expect, file }: Perform, doing: Doing): Promise<void> => {
  switch (action.name) {
    case "click": return clickOn(action.target, expect, doing)
    case "setValue": {
      const target = reach(action.target, expect, doing)
      return setValue(target, action.text, doing, () => clickOn(target.id, undefined, doing))
    }
    case "press": return press(action.text, doing.begin)
    case "type": return typeText(action.text, doing)
    case "hover": return hover(action.target, expect, doing)
    case "scroll": return scroll(action, expect, doing)
    case "drag": return drag(action.target, action.to, expect, doing)
    case "upload": return upload(action.target, file, expect, doing)
    case "wait":
      doing.begin()
      return pause(1000 * action.seconds)
  }
  throw new Refused("INVALID_ACTION", `a page does not do ${action.name}`)
}

/** uncover moves the mouse to what is drawn only under it, or shown only by a menu around
 * it, and gives it time to be. */
const uncover = async (id: string, expect: Perform["expect"], doing: Doing) => {
  const el = hidden(id, expect, doing)
  for (let up = el?.parentElement; up; up = up.parentElement) {
    if (!up.checkVisibility()) continue
    doing.begin()
    const r = up.getBoundingClientRect()
    moveTo({ x: r.left + r.width / 2, y: r.top + r.height / 2, el: up })
    await pause(50)
    return
  }
}

/** MOVES is how often the mouse follows an element that moves when the mouse comes to it. */
const MOVES = 3

const clickOn = async (id: string, expect: Perform["expect"], doing: Doing) => {
  await uncover(id, expect, doing)
  let target = await aim(id, expect, doing)
  for (let n = 0; n < MOVES; n++) {
    doing.begin()
    moveTo(target.place)
    if (target.about.onHover) await pause(50)
    const now = target.el.isConnected ? placeOf(target.el) : null
    if (now && now.el === target.place.el && now.x === target.place.x && now.y === target.place.y) break
    target = await aim(target.id, expect, doing)
  }
  const { el, place } = target
  await click(place)
  if (el.localName === "option") pick(el as HTMLOptionElement)
}

// pick chooses an option of a list that was clicked.
const pick = (option: HTMLOptionElement) => {
  const list = option.closest("select")
  if (!list || list.disabled || option.disabled || option.selected && !list.multiple) return
  option.selected = list.multiple ? !option.selected : true
  tell(list, "input", "change")
}

const hover = async (id: string, expect: Perform["expect"], doing: Doing) => {
  const { place } = await aim(id, expect, doing)
  doing.begin()
  moveTo(place)
}

const scroll = (action: Action, expect: Perform["expect"], doing: Doing) => {
  const id = action.target === "" ? "" : reach(action.target, expect, doing).id
  doing.begin()
  const { found, moved } = page.scroll(id, action.text)
  if (!found) throw new Refused("ELEMENT_NOT_FOUND", `there is no element ${quoted(id)} on this page`)
  if (!moved) throw new Refused("NOTHING_TO_SCROLL", `there is nothing further ${action.text || "down"}`)
}

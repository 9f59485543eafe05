/**
 * Actions by the real mouse and keyboard. What is acted on is found by the page's side, as
 * for made events, and so is what has no key or button of its own: options, dates, files,
 * scrolling. An action is noted in the document right before its first event, so that it is
 * done at most once. Where a dialog opens the action ends: the dialog waits to be answered.
 */

import type { ActResult, Failure, Perform } from "../protocol"
import { type Key, MODIFIERS, keyOf, parse } from "../act/keys"
import { Refused } from "../act/doing"
import type { Send } from "./debugger"

/** An element that the mouse can hit, in the viewport of its frame's root. */
export interface Aimed { id: string, x: number, y: number, kind: string, checked: string, readonly: boolean, secret: boolean, role: string, name: string, recovered?: string, ids?: ActResult["ids"] }

/** What an action needs besides the debugger. */
export interface Around {
  /** Calls a function of the page's side in the element's frame. */
  call<T>(name: string, args: unknown[]): Promise<T>
  /** Where a point of that frame is in the tab's viewport. */
  inTab(point: { x: number, y: number }): Promise<{ x: number, y: number }>
  /** Resolves when the page opens a dialog; a command may not return before it is closed. */
  dialog: Promise<unknown>
}

const TRUSTED = ["click", "hover", "drag", "press", "type", "setValue"]

/** Does an action. What is not of the mouse or keyboard is done by the page's side. */
export async function performTrusted(order: Perform, send: Send, around: Around): Promise<ActResult> {
  if (!TRUSTED.includes(order.action.name)) return around.call("perform", [order])
  const known = await around.call<{ state: string, result?: ActResult }>("performed", [order.token])
  if (known.state === "done" && known.result) return known.result
  if (known.state === "begun") throw new Error("it was begun before, and nobody knows what came of it")
  const input = new Input(order, send, around)
  try {
    await input.act()
  } catch (e) {
    if (!(e instanceof Refused)) throw e
    input.result.done = false
    input.result.error = { code: e.code, message: e.message }
  }
  if (input.handedOver) return input.handedOver
  await Promise.race([around.call("ended", [order.token, input.result]), around.dialog]).catch(() => undefined) // the document may be another by now
  return input.result
}

const STEPS = 12 // moves of a drag

class Input {
  result: ActResult = { done: true }
  /** What the page's side did instead. */
  handedOver?: ActResult

  constructor(private order: Perform, private send: Send, private around: Around) {}

  async act(): Promise<void> {
    const { name, target, to, text } = this.order.action
    switch (name) {
      case "click": return this.click(await this.aim(target, this.order.expect))
      case "hover": return this.hover(await this.aim(target, this.order.expect))
      case "drag": return this.drag(target, to)
      case "press": return this.press(text)
      case "type": return this.type(text)
      case "setValue": return this.setValue(target, text)
    }
  }

  private async aim(id: string, expect?: Perform["expect"]): Promise<Aimed> {
    const aimed = await this.around.call<Aimed | { error: Failure }>("aimAt", [id, expect, this.order.ids])
    if ("error" in aimed) throw new Refused(aimed.error.code, aimed.error.message)
    if (aimed.recovered) this.result.recovered = aimed.recovered
    if (aimed.ids) this.result.ids = aimed.ids
    return aimed
  }

  private begin = () => this.around.call("began", [this.order.token])

  // sent waits for a command, or for a dialog that keeps it from returning.
  private sent = (method: string, params: object) => Promise.race([this.send(method, params), this.around.dialog])

  private mouse = (type: string, at: { x: number, y: number }, more: object = {}) =>
    this.sent("Input.dispatchMouseEvent", { type, x: at.x, y: at.y, button: "none", ...more })

  private async click(aimed: Aimed): Promise<void> {
    const at = await this.around.inTab(aimed)
    await this.begin()
    await this.mouse("mouseMoved", at)
    await this.mouse("mousePressed", at, { button: "left", buttons: 1, clickCount: 1 })
    await this.mouse("mouseReleased", at, { button: "left", clickCount: 1 })
  }

  private async hover(aimed: Aimed): Promise<void> {
    const at = await this.around.inTab(aimed)
    await this.begin()
    await this.mouse("mouseMoved", at)
  }

  private async drag(from: string, to: string): Promise<void> {
    const onto = await this.aim(to)
    const what = await this.aim(from, this.order.expect)
    const there = await this.around.call<{ hit: boolean, x: number, y: number }>("inView", [onto.id])
    if (!there.hit) throw new Refused("ELEMENT_NOT_VISIBLE", "the place to drag to cannot be seen together with what is dragged")
    const [a, b] = [await this.around.inTab(what), await this.around.inTab(there)]
    await this.begin()
    await this.mouse("mouseMoved", a)
    await this.mouse("mousePressed", a, { button: "left", buttons: 1, clickCount: 1 })
    for (let i = 1; i <= STEPS; i++) {
      const share = i / STEPS
      await this.mouse("mouseMoved", { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) }, { button: "left", buttons: 1 })
    }
    await this.mouse("mouseReleased", b, { button: "left", clickCount: 1 })
  }

  private async press(keys: string): Promise<void> {
    const { held, key } = parse(keys)
    await this.begin()
    let modifiers = 0
    for (const name of held) {
      modifiers |= BITS[MODIFIERS[name]]
      await this.key("rawKeyDown", keyOf(name)!, modifiers)
    }
    await this.strike(key, modifiers)
    for (const name of held.toReversed()) {
      modifiers &= ~BITS[MODIFIERS[name]]
      await this.key("keyUp", keyOf(name)!, modifiers)
    }
  }

  private async strike(key: Key, modifiers = key.shiftKey ? BITS.shiftKey : 0): Promise<void> {
    const text = modifiers & ~BITS.shiftKey ? "" : key.text
    await this.key(text === "" ? "rawKeyDown" : "keyDown", key, modifiers, text)
    await this.key("keyUp", key, modifiers)
  }

  private key = (type: string, key: Key, modifiers: number, text = "") =>
    this.sent("Input.dispatchKeyEvent", {
      type, modifiers, key: key.key, code: key.code, windowsVirtualKeyCode: key.keyCode, location: key.location, ...(text && { text, unmodifiedText: text }),
      ...(type === "rawKeyDown" && { commands: commandsOf(key, modifiers) }),
    })

  private async type(text: string): Promise<void> {
    if (!(await this.around.call<boolean>("focusTakesText", []))) throw new Refused("ELEMENT_NOT_EDITABLE", "nothing that takes text has the focus")
    await this.begin()
    await this.insert(text)
  }

  private async insert(text: string): Promise<void> {
    for (const [i, line] of text.split(/\r?\n/).entries()) {
      if (i > 0) await this.strike(keyOf("Enter")!)
      if (line !== "") await this.sent("Input.insertText", { text: line })
    }
  }

  private async setValue(id: string, value: string): Promise<void> {
    const aimed = await this.aim(id, this.order.expect)
    if (aimed.kind === "check" && !aimed.readonly) {
      const wanted = wantedTick(value)
      if (wanted !== undefined && wanted !== (aimed.checked === "true") && !(aimed.role === "radio" && !wanted)) return this.click(aimed)
    }
    const { kind, readonly } = aimed
    if ((kind !== "text" && kind !== "keys") || (kind === "keys" && !isTyped(value)) || readonly || (await this.around.call<boolean>("isSpread", [aimed.id, value]))) return this.handOver()
    await this.begin()
    if (!(await this.around.call<boolean>("focusAll", [aimed.id]))) throw new Refused("ELEMENT_NOT_EDITABLE", `${aimed.role} ${JSON.stringify(aimed.name)} does not take the focus`)
    if (value === "") await this.strike(keyOf("Delete")!)
    else if (isTyped(value)) for (const c of value) await this.strike(keyOf(c)!)
    else await this.sent("Input.insertText", { text: value })
    if (kind === "keys") return
    const held = await Promise.race([this.around.call<{ found: boolean, value: string }>("typed", [aimed.id]), this.around.dialog.then(() => undefined)])
    if (!held?.found) return
    if (held.value === "" && value !== "") throw new Refused("VALUE_REFUSED", `${aimed.role} ${JSON.stringify(aimed.name)} did not take the value`)
    if (held.value !== value && !aimed.secret) this.result.actualState = held.value
  }

  private async handOver(): Promise<void> {
    this.handedOver = await this.around.call<ActResult>("perform", [this.order])
  }
}

/** The longest text, in characters, that is typed key by key: a page may listen for keys. */
const MOST_TYPED = 100

// A longer text, or one of several lines, is put in at once, as a paste is.
const isTyped = (text: string) => text !== "" && [...text].length <= MOST_TYPED && !/[\r\n\t]/.test(text)

const BITS = { altKey: 1, ctrlKey: 2, metaKey: 4, shiftKey: 8 } as const

// Editing by keys is the platform's, which gets no key of the protocol.
const commandsOf = (key: Key, modifiers: number) => (key.key.toLowerCase() === "a" && modifiers & (BITS.ctrlKey | BITS.metaKey) ? ["selectAll"] : [])

const wantedTick = (value: string): boolean | undefined => {
  const word = value.trim().toLowerCase()
  if (["true", "on", "yes", "checked", "1"].includes(word)) return true
  return ["false", "off", "no", "unchecked", "0", ""].includes(word) ? false : undefined
}

/** An open dialog, as the debugger tells of it. */
export interface Opened { type: string, message: string, defaultPrompt?: string }

/** onDialog calls back when a tab opens a dialog, until the signal is given. */
export function onDialog(tabId: number, opened: (d: Opened) => void, signal: AbortSignal): void {
  const hear = (source: { tabId?: number }, method: string, params?: object) => {
    if (source.tabId === tabId && method === "Page.javascriptDialogOpening") opened(params as Opened)
  }
  chrome.debugger.onEvent.addListener(hear)
  signal.addEventListener("abort", () => chrome.debugger.onEvent.removeListener(hear))
}

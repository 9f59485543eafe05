/**
 * What an answer types is kept from the disk, unless it is known to go into a field that is
 * not secret: the record gets the action as it may be printed, and the value stays in
 * chrome.storage.session, which is memory, until its action is done. A browser that was
 * started again has it no longer.
 */

import type { Answer } from "../protocol"
import { InvalidAction, type Parsed, parseAction, printable } from "./action"
import type { Shown } from "./store"

/** Values of an answer's actions by their place in it. */
export type Values = Record<number, string>

/** Takes the values out of an answer. What the server was told last of each element says
 * which may stay. */
export function withhold(answer: Answer, shown: Shown): { answer: Answer, values: Values } {
  const values: Values = {}
  const into = new Told(shown)
  const kept = (text: string, place: number): string => {
    const action = parsed(text)
    if (!action) return nameOf(text)
    if (!into.hides(action)) return text
    values[place] = action.text
    return printable(action, true)
  }
  if (answer.actions?.length) {
    const actions = answer.actions.map((one, place) => ({ ...one, action: kept(one.action, place) }))
    return { answer: { ...answer, actions, action: actions[0].action }, values }
  }
  return { answer: { ...answer, ...(answer.action && { action: kept(answer.action, 0) }) }, values }
}

// Told follows the focus through a chain: keys go where it is.
class Told {
  private focused: boolean | undefined // whether it is in a field that is known not to be secret

  constructor(private shown: Shown) {
    this.focused = Object.values(shown).some((s) => s.focused && !s.secret)
  }

  hides(a: Parsed): boolean {
    const open = this.isOpen(a.target)
    switch (a.name) {
      case "setValue":
        this.focused = open
        return !open
      case "type": return !this.focused
      case "click": this.focused = open; break
      case "press": this.focused &&= !/tab|enter/i.test(a.text)
    }
    return false
  }

  private isOpen = (id: string) => this.shown[id] !== undefined && !this.shown[id].secret
}

function parsed(text: string): Parsed | undefined {
  try {
    return parseAction(text)
  } catch (e) {
    if (e instanceof InvalidAction) return undefined
    throw e
  }
}

// nameOf is all that is kept of a text that is no action and may still hold a value.
const nameOf = (text: string) => (/^\s*(setValue|type)\b/i.test(text) ? `${/[a-z]+/i.exec(text)![0]}(` : text)

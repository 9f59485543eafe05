/**
 * In the page's own world: alert, confirm and prompt, which would stop the page and
 * whoever acts on it. While a task is at work they are kept from the screen and told; a
 * question is answered with no, until the other answer was decided for that very question.
 * Without a task they are as ever.
 */

import { watchLeaving } from "./leave"
import { DIALOGS, KEEP_DIALOGS, KEPT_UNTIL, REPLY, type Reply, type SeenDialog, answer, told } from "./names"

const MOST = 20
const LONGEST = 2000 // characters of a message that are told

/** keepDialogs begins to watch for dialogs. */
export const keepDialogs = () => {
  const { alert, confirm, prompt } = window
  const seen: SeenDialog[] = []
  let count = 0
  let until = stored()
  let reply: Reply | null = null

  const keeps = () => Date.now() < until
  const tell = (kind: SeenDialog["kind"], message: unknown, initial = "") => {
    seen.push({ n: ++count, kind, message: textOf(message), initial: initial.slice(0, LONGEST) })
    if (seen.length > MOST) seen.shift()
  }
  // decided is the answer to this question, if one was decided; it is given once.
  const decided = (kind: string, message: unknown): Reply | null => {
    const mine = reply?.kind === kind && reply.message === textOf(message) ? reply : null
    if (mine) reply = null
    return mine
  }

  window.alert = function (...args: unknown[]) {
    if (!keeps()) return (alert as (...all: unknown[]) => void).apply(window, args)
    tell("alert", args.length > 0 ? args[0] : "")
  }
  window.confirm = function (message: unknown = "") {
    if (!keeps()) return confirm.call(window, message as string)
    const given = decided("confirm", message)
    if (!given) tell("confirm", message)
    return given?.accept === true
  }
  window.prompt = function (message: unknown = "", initial: unknown = "") {
    if (!keeps()) return prompt.call(window, message as string, initial as string)
    const given = decided("prompt", message)
    if (!given) tell("prompt", message, String(initial))
    return given?.accept ? given.text : null
  }

  watchLeaving({ keeps, tell, decided })
  document.addEventListener(KEEP_DIALOGS, (e) => {
    until = Number(told(e)) || 0
    store(until)
  })
  document.addEventListener(REPLY, (e) => {
    const r = told(e) as Partial<Reply> | undefined
    if (r) reply = { kind: String(r.kind), message: String(r.message), accept: r.accept === true, text: String(r.text ?? "") }
  })
  answer(DIALOGS, () => seen)
}

const textOf = (message: unknown) => String(message).slice(0, LONGEST)

// A document without an origin of its own has no storage.
const stored = () => {
  try {
    return Number(sessionStorage.getItem(KEPT_UNTIL)) || 0
  } catch {
    return 0
  }
}
const store = (until: number) => {
  try {
    sessionStorage.setItem(KEPT_UNTIL, String(until))
  } catch {
    // the next document asks anew
  }
}

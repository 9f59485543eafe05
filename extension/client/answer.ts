/**
 * The frame's end of the messages: answers the worker with what a function gives, once for
 * each message. It is put into a document again and again and listens once. A frame that is
 * reached from the document around it does not listen at all.
 */

import type { FrameReply, FrameRequest } from "../protocol"

type Functions = Record<string, unknown>

declare global {
  // eslint-disable-next-line no-var
  var stepledgerAnswers: boolean | undefined
}

const MOST_SAID = 20 // messages of a page in a second

let second = 0
let told = 0
// few keeps a page that talks without end from keeping the worker busy.
const few = () => {
  const now = Math.floor(performance.now() / 1000)
  if (now !== second) [second, told] = [now, 0]
  return ++told <= MOST_SAID
}

/** Listens for the worker, and sends it what the page says while a task is at work. */
export function answerWorker(functions: Functions): void {
  if (globalThis.stepledgerAnswers) return
  globalThis.stepledgerAnswers = true
  let heard = false
  globalThis.stepledgerSaid = (message: string) => {
    if (heard && few()) void chrome.runtime.sendMessage({ stepledgerSaid: JSON.parse(message) }).catch(() => undefined)
  }
  chrome.runtime.onMessage.addListener((message: FrameRequest, _sender, reply: (r: FrameReply) => void) => {
    if (message?.stepledger !== 1) return false
    if (message.call === "leaveDialogs") heard = false
    else if (message.call !== "highlight") heard = true
    void answer(functions, message).then(reply)
    return true
  })
}

async function answer(functions: Functions, { call, args }: FrameRequest): Promise<FrameReply> {
  const f = Object.hasOwn(functions, call) ? functions[call] : undefined
  if (typeof f !== "function") return { error: { code: "INVALID_CALL", message: `the page's side does not know ${call}` } }
  try {
    return { ok: (await f(...args)) ?? null }
  } catch (e) {
    return { error: { code: "PAGE_NOT_ANSWERING", message: e instanceof Error ? e.message : String(e) } }
  }
}

/**
 * The browser's debugger on a tab, which gives real mouse and keyboard and the tree of
 * accessibility. Only the build for it has the permission (wxt build --mode trusted): a
 * browser does not let it be asked for later. It is attached while a task needs it, and
 * the browser shows a banner for as long; a user who ends it there is obeyed.
 */

/** The debugger could not be had. */
export class DebuggerError extends Error {
  override name = "DebuggerError"
  /** TRUSTED_INPUT_CANCELED: the user ended it; TRUSTED_INPUT_BUSY: another tool has the tab;
   * TRUSTED_INPUT_MISSING: this build has none; TAB_GONE. */
  constructor(readonly code: string, message: string) { super(message) }
}

/** Sends a command of the protocol to a tab, or to a frame in a process of its own. */
export type Send = <T = unknown>(method: string, params?: object, sessionId?: string) => Promise<T>

const VERSION = "1.3"
const canceledKey = (tabId: number) => `trusted_canceled_${tabId}`

/** Whether this build may use the debugger at all. */
export const hasDebugger = (): boolean => typeof chrome.debugger?.attach === "function"

/** Attaches the debugger to a tab; done again, also after a death of the worker, it changes
 * nothing. */
export async function attach(tabId: number): Promise<Send> {
  if (!hasDebugger()) throw new DebuggerError("TRUSTED_INPUT_MISSING", "this build of the extension has no real mouse and keyboard")
  const kept = await chrome.storage.session.get(canceledKey(tabId))
  if (kept[canceledKey(tabId)]) throw canceled()
  const send = sender(tabId)
  try {
    await send("Target.getTargetInfo") // answered by the browser, even while a dialog stops the page
  } catch {
    try {
      await chrome.debugger.attach({ tabId }, VERSION)
    } catch (e) {
      throw refused(e)
    }
    await send("Page.enable")
  }
  return send
}

/** sender sends to a tab that the debugger is attached to. */
export const sender = (tabId: number): Send => async <T>(method: string, params?: object, sessionId?: string) => {
  try {
    return await chrome.debugger.sendCommand({ tabId, ...(sessionId && { sessionId }) }, method, params as Record<string, unknown>) as T
  } catch (e) {
    const kept = await chrome.storage.session.get(canceledKey(tabId))
    throw kept[canceledKey(tabId)] ? canceled() : refused(e)
  }
}

/** The world of the content script in the tab's top document, by the number the debugger
 * gives it; undefined where there is none. */
export async function contextOf(tabId: number, send: Send): Promise<number | undefined> {
  const { frameTree } = await send<{ frameTree: { frame: { id: string } } }>("Page.getFrameTree")
  let found: number | undefined
  const hear = (source: { tabId?: number }, method: string, params?: object) => {
    const { context } = (params ?? {}) as { context?: { id: number, origin: string, auxData?: { frameId?: string } } }
    if (source.tabId !== tabId || method !== "Runtime.executionContextCreated" || !context) return
    if (context.auxData?.frameId === frameTree.frame.id && context.origin === location.origin) found = context.id
  }
  chrome.debugger.onEvent.addListener(hear)
  try {
    await send("Runtime.enable") // tells of all that are there before it returns
    await send("Runtime.disable")
  } finally {
    chrome.debugger.onEvent.removeListener(hear)
  }
  return found
}

/** Detaches it, when a task has ended or a person has the page. A user who has ended it by the
 * banner may have it again in the next task. */
export async function detach(tabId: number, isOver = true): Promise<void> {
  if (!hasDebugger()) return
  if (isOver) await chrome.storage.session.remove(canceledKey(tabId))
  await chrome.debugger.detach({ tabId }).catch(() => undefined) // it was not attached
}

/** Notes that a user ended the debugger by the browser's banner. It is to be called when the
 * worker starts. */
export function watchDetach(): void {
  chrome.debugger?.onDetach.addListener(({ tabId }, reason) => {
    if (tabId !== undefined && reason === "canceled_by_user") void chrome.storage.session.set({ [canceledKey(tabId)]: true })
  })
}

const canceled = () => new DebuggerError("TRUSTED_INPUT_CANCELED", "real mouse and keyboard were ended by the browser's banner")

const refused = (e: unknown) => {
  const message = e instanceof Error ? e.message : String(e)
  if (/already attached/i.test(message)) return new DebuggerError("TRUSTED_INPUT_BUSY", "another tool debugs this tab")
  if (/no tab with|no target/i.test(message)) return new DebuggerError("TAB_GONE", "the tab was closed")
  return new DebuggerError("PAGE_NOT_ANSWERING", message)
}

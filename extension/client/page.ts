/**
 * Calls into frames of a tab. A frame that does not answer in time, whose document is
 * replaced while it is asked, or that may not be reached is a PageError with a code.
 */

import type { Failure, FrameReply, FrameRequest } from "../protocol"

/** A frame or tab that could not be asked. */
export class PageError extends Error {
  override name = "PageError"
  constructor(readonly code: string, message: string) { super(message) }
  /** As it is told. */
  get failure(): Failure { return { code: this.code, message: this.message } }
}

/** The content scripts' files in the package: the page's side, and the part in the page's own world. */
export const pageFile = "content-scripts/page.js"
export const worldFile = "content-scripts/world.js"

const patience = 15_000 // milliseconds; a page that is busy for longer is told to the user

/** Calls a function of the page's side in one frame. */
export async function call<T>(tabId: number, frameId: number, name: string, args: unknown[] = [], wait = patience): Promise<T> {
  const request: FrameRequest = { stepledger: 1, call: name, args }
  const reply = await inTime(chrome.tabs.sendMessage(tabId, request, { frameId }) as Promise<FrameReply | undefined>, wait)
  if (!reply) throw new PageError("PAGE_NOT_ANSWERING", "the page did not answer")
  if ("error" in reply) throw new PageError(reply.error.code, reply.error.message)
  return reply.ok as T
}

/** What comes in time; else it throws a PageError. */
export async function inTime<T>(answer: Promise<T>, wait: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PageError("PAGE_NOT_ANSWERING", "the page did not answer in time")), wait)
  })
  try {
    return await Promise.race([answer, late])
  } catch (e) {
    throw e instanceof PageError ? e : new PageError("PAGE_NOT_ANSWERING", message(e))
  } finally {
    clearTimeout(timer)
  }
}

const message = (e: unknown) => (e instanceof Error ? e.message : String(e))

/** Puts the page's side into all frames that may be reached, and says which these are. */
export async function inject(tabId: number): Promise<number[]> {
  const into = async (target: chrome.scripting.InjectionTarget) => {
    const results = await inTime(chrome.scripting.executeScript({ target, files: [pageFile], injectImmediately: true }), patience)
    return results.map((r) => r.frameId)
  }
  try {
    return await into({ tabId, allFrames: true }).catch(() => into({ tabId, frameIds: [0] })) // a frame may hang
  } catch (e) {
    throw await refused(tabId, message(e))
  }
}

/** Puts the part into the page's own world where it is not yet: documents that are older than
 * the permission have none. A page does without it where it may not be put there. */
export async function injectWorld(tabId: number): Promise<void> {
  const order = { target: { tabId, allFrames: true }, files: [worldFile], world: "MAIN" as const, injectImmediately: true }
  await inTime(chrome.scripting.executeScript(order), patience).catch((e: unknown) => console.debug("without the page's own world:", e))
}

// refused finds out why nothing may be put into a tab.
async function refused(tabId: number, why: string): Promise<PageError> {
  const tab = await tabOf(tabId)
  if (!tab) return new PageError("TAB_GONE", "the tab was closed")
  if (isRestricted(tab.url ?? "")) return new PageError("RESTRICTED_PAGE", `extensions may not act on this page: ${tab.url}`)
  return new PageError(/error page/i.test(why) ? "PAGE_NOT_ANSWERING" : /permission|cannot access/i.test(why) ? "NO_PERMISSION" : "PAGE_NOT_ANSWERING", why)
}

/** The tab, undefined where it is closed. */
export async function tabOf(tabId: number): Promise<chrome.tabs.Tab | undefined> {
  try {
    return await chrome.tabs.get(tabId)
  } catch {
    return undefined
  }
}

/** Whether a browser lets no extension act on an address, whatever the user allows. */
export function isRestricted(address: string): boolean {
  if (address === "") return false
  if (!URL.canParse(address)) return true
  const { protocol, hostname, pathname } = new URL(address)
  if (protocol !== "http:" && protocol !== "https:") return true
  return hostname === "chromewebstore.google.com" || (hostname === "chrome.google.com" && pathname.startsWith("/webstore"))
}

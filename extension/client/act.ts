/**
 * One action: what is noted before it, how it is done, how it is found out after a death
 * whether it was done, and what is observed of it. Every call may be cut off at any point;
 * what has to outlast that is in the record, which is stored between these calls.
 */

import type { ActResult, Action, Failure, Perform, Performed, Settings } from "../protocol"
import { isOfPage, type Parsed } from "./action"
import { decide, forgetDialogs, openDialog } from "./dialogs"
import { frameOf, frameWithFocus, mapOf, type TabMap } from "./frames"
import { call, inject, PageError, tabOf } from "./page"
import { isAllowed, originOf } from "./permissions"
import { isReal, performReal, pointInTab } from "./real"
import { networkOf, pause, settle } from "./settle"
import { t } from "../ui/texts"
import { type Before, type Doing, type Happening, type Observed, type OpenDialog, type Run, printable, upcoming } from "./state"
import { loadBeside, loadSettings } from "./store"

/** What the watcher of a root counts while an action runs. */
interface Counted {
  document: string
  choices: string[]
  added: number
  removed: number
  mutations: number
  direct: number | null
  touched: boolean | null
}

/** Notes what is there before the next action and draws its token. */
export async function begin(run: Run): Promise<Happening> {
  const { text, action, nothing, held } = upcoming(run)
  const shown = (await loadBeside(run, "shown")) ?? {}
  if (!action) return unarmed({ code: "INVALID_ACTION", message: whyInvalid(text) }, text, "", run.url)
  const words = printable(action, held !== undefined)
  if (nothing) return { type: "skipped", printable: words }
  const tab = await tabOf(run.tabId)
  if (!tab) return { type: "gone" }
  const url = tab.url ?? ""
  const elsewhere = await unreachable(action, url)
  if (elsewhere) return elsewhere
  const file = action.name === "upload" ? await loadBeside(run, "file") : undefined
  if (action.name === "upload" && !file) return { type: "file", name: action.text }
  await forgetDialogs(run.tabId)
  const token = crypto.randomUUID()
  const map = await mapOf(run.tabId)
  const noted = await arm(run, action, token, map)
  if ("code" in noted) return unarmed(noted, words, action.target, url)
  const known = shown[action.target]
  const ofFocus = action.target === "" && (action.name === "press" || action.name === "type")
  const frameId = ofFocus ? await frameWithFocus(run.tabId, map) : frameOf(map, action.target)
  return {
    type: "armed", doing: {
      token, action: action as Action, frameId, printable: words, at: Date.now(),
      ...(known && { expect: { role: known.role, name: known.name } }), ...(held !== undefined && { held }),
      before: { url, ...noted, opened: await openedBy(run.tabId) },
    },
  }
}

const whyInvalid = (text: string) => (text.trim() === "" ? "the answer has no action" : "this is no action of the language")

const unarmed = (failure: Failure, words: string, elementId: string, url: string): Happening => ({ type: "unarmed", failure, printable: words, elementId, url })

// unreachable is why an action of the page cannot be begun; the tab's own always can.
async function unreachable(action: Parsed, url: string): Promise<Happening | undefined> {
  if (!isOfPage(action)) return undefined
  if (await isAllowed(url)) return undefined
  const origin = originOf(url)
  return { type: "denied", origins: origin ? [origin] : [], message: denied(url) }
}

/** What the user is told where a site is not allowed. */
export const denied = (url: string): string =>
  url ? t("worker.denied", { host: new URL(url).host }) : t("worker.unseen")

// arm makes the watchers of all roots count. A root that does not answer is gone.
async function arm(run: Run, action: Parsed, token: string, map: TabMap): Promise<Pick<Before, "documents" | "choices"> | Failure> {
  const noted: Pick<Before, "documents" | "choices"> = { documents: {}, choices: [] }
  const of = frameOf(map, action.target)
  try {
    await inject(run.tabId)
  } catch (e) {
    if (!isOfPage(action)) return noted // a tab can leave a page that nobody can act on
    throw e
  }
  for (const { frameId } of map.roots) {
    try {
      const before = await call<Counted>(run.tabId, frameId, "arm", [frameId === of ? action.target : "", token])
      noted.documents[frameId] = before.document
      noted.choices.push(...before.choices)
    } catch (e) {
      if (!(e instanceof PageError)) throw e
      if (frameId === of && isOfPage(action)) {
        if (frameId === 0) throw e
        return { code: "ELEMENT_NOT_FOUND", message: "the frame of this element is gone" }
      }
    }
  }
  return noted
}

async function openedBy(tabId: number): Promise<number[]> {
  const tabs = await chrome.tabs.query({})
  return tabs.filter((t) => t.openerTabId === tabId && t.id !== undefined).map((t) => t.id!)
}

/** Does the action. It throws where nobody knows whether it was done. */
export async function perform(run: Run, signal: AbortSignal): Promise<ActResult> {
  const doing = run.loop.doing!
  const { action } = doing
  switch (action.name) {
    case "wait": return wait(doing, signal)
    case "navigate":
    case "goBack": return (await asksToStay(run.tabId, action)) ? { done: true } : leavePage(run.tabId, action)
  }
  if (run.loop.dialog && action.target.startsWith("dialog_")) return answerDialog(run, run.loop.dialog, doing)
  const file = action.name === "upload" ? await loadBeside(run, "file") : undefined
  const text = await textOf(run, doing)
  if (text === undefined) return { done: false, error: { code: "VALUE_LOST", message: "the value is no longer known" } }
  const hidden = await whyHidden(run, doing)
  if (hidden) return { done: false, error: hidden }
  const order: Perform = { token: doing.token, action: { ...action, text }, ids: run.loop.ids, ...(doing.expect && { expect: doing.expect }), ...(file && { file }) }
  if (isReal(await loadSettings())) {
    const { roots } = await mapOf(run.tabId)
    const result = await performReal(run.tabId, doing.frameId, order, (point) => pointInTab(run.tabId, roots, doing.frameId, point))
    if (result) return result
  }
  return call<ActResult>(run.tabId, doing.frameId, "perform", [order], longestAction)
}

// textOf is what an action types; undefined where it was held in a memory that is gone.
async function textOf(run: Run, { action, held }: Doing): Promise<string | undefined> {
  return held === undefined ? action.text : (await loadBeside(run, "values"))?.[held]
}

const longestAction = 60_000 // milliseconds; a long text typed key by key

async function wait(doing: Doing, signal: AbortSignal): Promise<ActResult> {
  await pause(Math.max(0, doing.at + doing.action.seconds * 1000 - Date.now()), signal)
  return { done: true }
}

// asksToStay is whether the page asks before it is left. Then nothing is left, and its question
// is an open dialog. A page that does not answer is not asked.
async function asksToStay(tabId: number, action: Action): Promise<boolean> {
  try {
    return await call<boolean>(tabId, 0, "staysOnLeave", [action.text], 1500)
  } catch (e) {
    if (!(e instanceof PageError)) throw e
    return false
  }
}

const leavesPage = (action: Action | undefined) => action?.name === "navigate" || action?.name === "goBack"
const leavePage = (tabId: number, action: Action) => (action.name === "navigate" ? navigate(tabId, action.text) : goBack(tabId))

async function navigate(tabId: number, url: string): Promise<ActResult> {
  try {
    await chrome.tabs.update(tabId, { url })
    return { done: true }
  } catch (e) {
    return { done: false, error: { code: "NAVIGATION_FAILED", message: String(e) } }
  }
}

async function goBack(tabId: number): Promise<ActResult> {
  try {
    await chrome.tabs.goBack(tabId)
    return { done: true }
  } catch {
    return { done: false, error: { code: "NO_HISTORY", message: "there is no page to go back to" } }
  }
}

// whyHidden is why an element in a frame of another origin cannot be reached. Nothing was done
// then, also where the frames around it do not answer.
async function whyHidden(run: Run, doing: Doing): Promise<Failure | undefined> {
  try {
    return await showAncestors(run, doing)
  } catch (e) {
    if (e instanceof PageError && e.code !== "TAB_GONE") return e.failure
    throw e
  }
}

// showAncestors scrolls what is around the frame of an element until it is seen, and says
// what lies over it. The frame itself only knows what is inside.
async function showAncestors(run: Run, doing: Doing): Promise<Failure | undefined> {
  const map = await mapOf(run.tabId)
  let root = map.roots.find((r) => r.frameId === doing.frameId)
  if (!root || root.frameId === 0 || doing.action.target === "") return undefined
  let box: number[] | undefined = await boxOf(run.tabId, doing)
  while (root && root.frameId !== 0 && box) {
    await call(run.tabId, root.parent, "showFrame", [root.token, box])
    const at = await call<{ found: boolean, hit: boolean, x?: number, y?: number, cover?: string }>(
      run.tabId, root.parent, "frameAt", [root.token, box[0] + box[2] / 2, box[1] + box[3] / 2])
    if (!at.found) return { code: "ELEMENT_NOT_FOUND", message: "the frame of this element is gone" }
    if (!at.hit && at.cover) return { code: "ELEMENT_OCCLUDED", message: `${at.cover} lies over the frame of this element` }
    box = at.x === undefined || at.y === undefined ? undefined : [at.x, at.y, 0, 0]
    root = map.roots.find((r) => r.frameId === root!.parent)
  }
  return undefined
}

async function boxOf(tabId: number, doing: Doing): Promise<number[] | undefined> {
  const at = await call<{ x?: number, y?: number } | null>(tabId, doing.frameId, "locate", [doing.action.target])
  return at?.x === undefined || at.y === undefined ? undefined : [at.x, at.y, 0, 0]
}

// answerDialog carries out what the server decided about a dialog. On yes the action that
// opened it is done again: its first time came to nothing.
async function answerDialog(run: Run, dialog: OpenDialog, doing: Doing): Promise<ActResult> {
  const { target, text } = doing.action
  if (target === "dialog_text") return { done: true, actualState: text }
  const accept = target === "dialog_accept"
  if (!accept || dialog.kind === "alert" || !dialog.opener) return { done: true }
  await decide(run.tabId, dialog)
  if (leavesPage(dialog.opener)) return leavePage(run.tabId, dialog.opener)
  return call<ActResult>(run.tabId, dialog.frameId ?? 0, "perform", [{ token: doing.token, action: dialog.opener, ids: run.loop.ids } satisfies Perform], longestAction)
}

/** Finds out, after nobody heard of an action, what became of it. Where that cannot be said
 * it happened, for all anybody knows. */
export async function inquire(run: Run): Promise<Performed | { state: "elsewhere" }> {
  const doing = run.loop.doing!
  const { action, before } = doing
  const opener = action.target === "dialog_accept" ? run.loop.dialog?.opener : undefined
  if (action.name === "wait") return { state: "unknown" } // it is waited until the same moment
  const tab = await tabOf(run.tabId)
  if (!tab) throw new PageError("TAB_GONE", "the tab was closed")
  if (leavesPage(action) || leavesPage(opener)) return (await hasLeft(run.tabId, tab, before)) ? { state: "elsewhere" } : { state: "unknown" }
  try {
    await inject(run.tabId)
    const asked = frameAsked(run, doing)
    const known = await call<Performed>(run.tabId, asked, "performed", [doing.token])
    if (known.state === "begun") return known.real ? known : await awaited(run, doing, asked)
    if (known.state === "done") return known
    const { document } = await call<Counted>(run.tabId, asked, "disarm")
    if (document !== before.documents[asked]) return { state: "elsewhere" }
    await call(run.tabId, asked, "arm", [action.target, doing.token])
    return { state: "unknown" }
  } catch {
    return { state: "elsewhere" }
  }
}

// awaited waits for an action under way: asked again under its token, the frame does not
// begin it again and says what comes of it.
async function awaited(run: Run, doing: Doing, frameId: number): Promise<Performed> {
  try {
    return { state: "done", result: await call<ActResult>(run.tabId, frameId, "perform", [{ token: doing.token, action: doing.action }], longestAction) }
  } catch {
    return { state: "begun" }
  }
}

const frameAsked = (run: Run, doing: Doing) => (doing.action.target.startsWith("dialog_") ? run.loop.dialog?.frameId ?? 0 : doing.frameId)

// hasLeft: another address, another document, or one that is being loaded.
async function hasLeft(tabId: number, tab: chrome.tabs.Tab, before: Before): Promise<boolean> {
  if (tab.status === "loading" || tab.pendingUrl || (tab.url ?? "") !== before.url) return true
  if (before.documents[0] === undefined) return false
  try {
    await inject(tabId)
    const { document } = await call<Counted>(tabId, 0, "disarm")
    if (document !== before.documents[0]) return true
    await call(tabId, 0, "arm", [""])
    return false
  } catch {
    return true
  }
}

/** Waits until the page is stable, unless nothing was done, and gives what was observed. */
export async function observe(run: Run, settings: Settings, signal: AbortSignal): Promise<Observed> {
  const doing = run.loop.doing!
  const { before } = doing
  const map = await mapOf(run.tabId)
  const failed = doing.result !== undefined && !doing.result.done
  const took = failed ? 0 : await settle(run.tabId, map.roots, settings.timing, signal)
  const tab = await tabOf(run.tabId)
  if (!tab) throw new PageError("TAB_GONE", "the tab was closed")
  const url = tab.url ?? ""
  const counts = await disarm(run.tabId, map)
  const after = counts.get(doing.frameId)
  const same = after !== undefined && after.document === before.documents[doing.frameId]
  const replaced = Object.entries(before.documents).some(([f, name]) => counts.get(Number(f))?.document !== name)
  const sum = (count: (c: Counted) => number) => [...counts.values()].reduce((n, c) => n + count(c), 0)
  const net = await networkOf(run.tabId, doing.frameId)
  const opened = (await openedBy(run.tabId)).filter((id) => !before.opened.includes(id))
  const dialog = await openDialog(run.tabId, map)
  const urlChanged = url !== before.url
  return {
    ...(opened.length > 0 && { opened: Math.max(...opened) }), ...(dialog && { dialog }),
    report: {
      previousUrl: before.url, url, urlChanged, network: replaced || (net?.started ?? 0) > 0, mutated: replaced || sum((c) => c.mutations) > 0,
      added: sum((c) => c.added), removed: sum((c) => c.removed), stabilization: took,
      dropdown: replaced ? [] : newIn([...counts.values()].flatMap((c) => c.choices), before.choices),
      failed: net?.failed ?? [], ...(net && { pending: net.pending, scriptErrors: net.errors }),
      ...(same && after.touched !== null && { targetChanged: after.touched }), ...(same && after.direct !== null && { direct: after.direct }),
    },
  }
}

const newIn = (now: string[], before: string[]) => now.filter((c) => !before.includes(c))

async function disarm(tabId: number, map: TabMap): Promise<Map<number, Counted>> {
  const counts = new Map<number, Counted>()
  for (const { frameId } of map.roots) {
    try {
      counts.set(frameId, await call<Counted>(tabId, frameId, "disarm"))
    } catch (e) {
      if (!(e instanceof PageError)) throw e // a root that is gone
    }
  }
  return counts
}

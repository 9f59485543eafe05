/**
 * Looking at the page: the body of the next request is made here, in the way of extraction
 * that fits, from one capture of all roots. A page the server knows already is named by its
 * hash.
 */

import type { Schemas, Settings } from "../protocol"
import { isReal, namedByBrowser } from "./real"
import { denied } from "./act"
import { captureTab, mapOf, type TabCapture } from "./frames"
import { hashOfText } from "./hash"
import { type Mode, modesFor } from "./mode"
import { call, isRestricted, PageError, tabOf } from "./page"
import { isAllowed, originOf } from "./permissions"
import { filterDomForQuery, getDomStats } from "./rag"
import { bodyOf, longest, nodeV3, type Said, shownOf, withDialog } from "./request"
import { takeScreenshot } from "./screenshot"
import { type Snapshot, snapshotOf, verificationFields } from "./sentinel"
import { t } from "../ui/texts"
import type { Happening, Known, Run } from "./state"
import { type Beside, loadBeside } from "./store"

/** What came of an effect, and what is to be stored with it. */
export interface Outcome { event: Happening, beside?: Beside }

type Body = Schemas["InteractBody"]

/** Captures the tab and makes the body; throws PageError where the page cannot be read. */
export async function look(run: Run, settings: Settings, said: Said[]): Promise<Outcome> {
  const tab = await tabOf(run.tabId)
  if (!tab) return { event: { type: "gone" } }
  const url = tab.url ?? ""
  if (isRestricted(url)) return { event: { type: "restricted", message: t("failure.RESTRICTED_PAGE") } }
  if (!(await isAllowed(url))) {
    const origin = originOf(url)
    return { event: { type: "denied", origins: origin ? [origin] : [], message: denied(url) } }
  }
  const { full, ids } = run.loop
  const limit = full ? longest.full : longest.usual
  // Tags open at the limit are closed after it, so leave room for them.
  const read = await captureTab(run.tabId, { start: ids.id, startFrame: ids.frame, full, limit: limit - Math.ceil(limit / 50) })
  const page = withDialog(isReal(settings) ? { ...read, nodes: await namedByBrowser(run.tabId, read.nodes) } : read, run.loop.dialog)
  const { fields, shot } = await fieldsOf(run, tab, page, settings)
  const known = knownAs(page, fields)
  const same = isKnown(run, known)
  const after = snapshotOf(page)
  const body = bodyOf({ run, page, said, now: Date.now(), fields: { ...(same ? { domHash: run.loop.seen!.domHash } : fields), ...(await verified(run, after)) } })
  return {
    event: {
      type: "captured", url: page.url, ids: { id: read.lastID, frame: read.lastFrame ?? ids.frame }, key: run.loop.key || crypto.randomUUID(),
      seen: known, closed: read.closed, ...(same && { byHash: true }), ...(shot && { shot }),
    },
    beside: { body: JSON.stringify(body), shown: shownOf(withDialog(read, run.loop.dialog).nodes, page.focused), seen: after, file: null }, // a file is chosen for one action
  }
}

// verified are the fields that tell whether the last action had its outcome.
async function verified(run: Run, after: Snapshot): Promise<Partial<Body>> {
  const { last, expected } = run.loop
  if (last?.lastActionStatus !== "success" || !expected?.length) return {}
  return verificationFields(expected, await loadBeside(run, "seen"), after)
}

function knownAs(page: TabCapture, fields: Partial<Body>): Known {
  const { screenshot: _picture, screenshotHash: _hash, ...read } = fields
  return { domHash: "", pageHash: hashOfText(JSON.stringify([read, page.containers])), url: page.url, title: page.title }
}

// isKnown: the server has this very page from the last turn.
function isKnown({ taskId, loop }: Run, now: Known): boolean {
  const { seen } = loop
  return taskId !== "" && !loop.full && !loop.dialog && seen !== undefined && seen.domHash !== "" &&
    seen.pageHash === now.pageHash && seen.url === now.url && seen.title === now.title
}

// fieldsOf extracts the page in the first way that finds something.
async function fieldsOf(run: Run, tab: chrome.tabs.Tab, page: TabCapture, settings: Settings): Promise<{ fields: Partial<Body>, shot?: string }> {
  for (const mode of modesFor(settings.extraction, run.loop.says, run.loop.full)) {
    const fields = await extracted(mode, run, page)
    if (!fields) continue
    if (mode !== "hybrid" || !settings.sendScreenshots || page.closed.length > 0) return { fields: { domMode: mode === "hybrid" ? "skeleton" : mode, ...fields } }
    const shot = await takeScreenshot(tab)
    if (!shot) return { fields: { domMode: "skeleton", ...fields } }
    const unchanged = shot.hash === run.loop.shot
    return { fields: { domMode: "hybrid", ...fields, screenshot: unchanged ? null : shot.data, screenshotHash: shot.hash }, shot: shot.hash }
  }
  return { fields: { domMode: "semantic_v3", dom: page.html, interactiveTree: [] } } // a page without anything to act on
}

async function extracted(mode: Mode, run: Run, page: TabCapture): Promise<Partial<Body> | undefined> {
  const tree = page.nodes.map((n) => nodeV3(n, page.focused))
  switch (mode) {
    case "full": return { dom: page.html, interactiveTree: tree }
    case "semantic_v3": return tree.length > 0 ? whole(run, page, tree) : undefined
    case "semantic": {
      const semanticNodes = (await fromRoots<Schemas["Node"][]>(run.tabId, "semantic")).flat()
      return semanticNodes.length > 0 ? { dom: page.html, semanticNodes } : undefined
    }
  }
  const skeletonDom = (await fromRoots<string>(run.tabId, "skeleton")).join("\n").slice(0, longest.usual)
  return skeletonDom.trim() !== "" ? { dom: page.html, skeletonDom } : undefined
}

// whole is the tree, or the part of a huge one that matters.
function whole(run: Run, page: TabCapture, tree: Schemas["NodeV3"][]): Partial<Body> {
  if (!getDomStats(tree).needsFiltering) return { dom: page.html, interactiveTree: tree }
  const { tree: interactiveTree, ...about } = filterDomForQuery(tree, `${run.query} ${run.loop.says}`)
  return { domMode: "filtered", interactiveTree, ...about }
}

async function fromRoots<T>(tabId: number, name: string): Promise<T[]> {
  const all: T[] = []
  for (const { frameId } of (await mapOf(tabId)).roots) {
    try {
      all.push(await call<T>(tabId, frameId, name))
    } catch (e) {
      if (!(e instanceof PageError)) throw e
    }
  }
  return all
}

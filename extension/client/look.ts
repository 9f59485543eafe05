/**
 * Looking at the page: the body of the next request is made here, in the way of extraction
 * that fits, from one capture of all roots.
 */

import type { Schemas, Settings } from "../protocol"
import { denied } from "./act"
import { captureTab, type TabCapture } from "./frames"
import { isRestricted, tabOf } from "./page"
import { isAllowed, originOf } from "./permissions"
import { bodyOf, longest, nodeV3, type Said, shownOf, withDialog } from "./request"
import type { Happening, Run } from "./state"
import type { Beside } from "./store"

/** What came of an effect, and what is to be stored with it. */
export interface Outcome { event: Happening, beside?: Beside }

/** Captures the tab and makes the body; throws PageError where the page cannot be read. */
export async function look(run: Run, settings: Settings, said: Said[]): Promise<Outcome> {
  const tab = await tabOf(run.tabId)
  if (!tab) return { event: { type: "gone" } }
  const url = tab.url ?? ""
  if (isRestricted(url)) return { event: { type: "restricted", message: restricted } }
  if (!(await isAllowed(url))) {
    const origin = originOf(url)
    return { event: { type: "denied", origins: origin ? [origin] : [], message: denied(url) } }
  }
  const { full, ids } = run.loop
  const limit = full ? longest.full : longest.usual
  // Tags open at the limit are closed after it, so leave room for them.
  const read = await captureTab(run.tabId, { start: ids.id, startFrame: ids.frame, full, limit: limit - Math.ceil(limit / 50) })
  const page = withDialog(read, run.loop.dialog)
  const body = bodyOf({ run, page, said, now: Date.now(), fields: await fieldsOf(run, page, settings) })
  return {
    event: {
      type: "captured", url: page.url, ids: { id: read.lastID, frame: read.lastFrame ?? ids.frame },
      key: run.loop.key || crypto.randomUUID(), closed: read.closed,
    },
    beside: { body: JSON.stringify(body), shown: shownOf(page.nodes) },
  }
}

const restricted = "Extensions may not act on this page. Go to a website, and the task goes on."

async function fieldsOf(run: Run, page: TabCapture, _settings: Settings): Promise<Partial<Schemas["InteractBody"]>> {
  return { domMode: run.loop.full ? "full" : "semantic_v3", dom: page.html, interactiveTree: page.nodes.map((n) => nodeV3(n, page.focused)) }
}

/**
 * Waits after an action until the page is stable: no request under way, no change of any
 * root for a while, no load. A page that never settles is no error; it is captured as it
 * is.
 */

import type { Settings } from "../protocol"
import type { FailedRequest } from "./report"
import { call, inject, injectWorld, PageError, tabOf } from "./page"
import type { Root } from "./frames"

/** What the page's own world knows of its requests since the action began. */
export interface Network { pending: number, started: number, failed: FailedRequest[], errors: number }

interface Quiet { ms: number, ready: boolean, scheduled: number }

const pollEvery = 60 // milliseconds
const reply = 1500

/** Where a tab is while it settles. */
interface Seen { settled: boolean, busy: boolean }

/** Waits, and says how many milliseconds it took. */
export async function settle(tabId: number, roots: Root[], timing: Settings["timing"], signal: AbortSignal): Promise<number> {
  const start = Date.now()
  const took = () => Date.now() - start
  const most = Math.max(timing.maxWait, timing.minWait)
  let busyUntil = 0
  let frames = roots.map((r) => r.frameId)
  await pause(Math.min(timing.minWait, most), signal)
  while (took() < most && !signal.aborted) {
    const { settled, busy } = await look(tabId, frames, timing)
    if (busy) busyUntil = took()
    if (settled && took() - busyUntil >= (busyUntil === 0 ? 0 : timing.networkIdle)) break
    if (!settled && frames.length > 1) frames = await stillThere(tabId, frames)
    await pause(pollEvery, signal)
  }
  return took()
}

async function look(tabId: number, frames: number[], timing: Settings["timing"]): Promise<Seen> {
  const tab = await tabOf(tabId)
  if (!tab) throw new PageError("TAB_GONE", "the tab was closed")
  if (tab.status === "loading") return { settled: false, busy: true }
  const quiet = await quietOf(tabId, 0)
  if (!quiet) return { settled: !(await reach(tabId)), busy: false } // another document; or one that nobody may ask
  const net = await networkOf(tabId, 0)
  if (net && net.pending > 0) return { settled: false, busy: true }
  for (const frameId of frames) {
    const q = frameId === 0 ? quiet : await quietOf(tabId, frameId)
    if (q && !(q.ready && q.scheduled === 0 && q.ms >= timing.domSettled)) return { settled: false, busy: false }
  }
  return { settled: true, busy: false }
}

async function stillThere(tabId: number, frames: number[]): Promise<number[]> {
  const there = await Promise.all(frames.map(async (f) => f === 0 || (await quietOf(tabId, f)) !== undefined))
  return frames.filter((_, i) => there[i])
}

// reach puts the page's side into a new document, and says whether it may.
async function reach(tabId: number): Promise<boolean> {
  try {
    await inject(tabId)
    await injectWorld(tabId)
    return true
  } catch {
    return false
  }
}

async function quietOf(tabId: number, frameId: number): Promise<Quiet | undefined> {
  try {
    return await call<Quiet>(tabId, frameId, "quiet", [], reply)
  } catch {
    return undefined
  }
}

/** The requests of a frame since the action began; undefined where its own world is not watched. */
export async function networkOf(tabId: number, frameId: number): Promise<Network | undefined> {
  try {
    return await call<Network>(tabId, frameId, "network", [], reply)
  } catch {
    return undefined
  }
}

/** Waits, or until the signal is given. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener("abort", end)
  })
}

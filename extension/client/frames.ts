/**
 * The page of a tab as one: the captures of its roots (the top document, and frames of
 * another origin) are taken one after the other and merged. Ids are unique in the tab and
 * none is given twice. A frame that cannot be captured is left out and counted; only the
 * top document has to answer.
 *
 * Which element of which frame an id belongs to is kept in chrome.storage.session, which
 * lives as long as the documents do.
 */

import { call, inTime, inject, injectWorld, PageError } from "./page"
import { isAllowed, originOf } from "./permissions"

/** An element as the page's side gives it. */
export interface RawNode {
  id: string
  frame: number
  role: string
  name: string
  value: string
  state: string[]
  box: [number, number, number, number]
  occluded: boolean
  scroll: { depth: string, h: boolean } | null
  ownName?: boolean
}

/** A frame of another origin, as its parent's document sees it. */
export interface RawFrame {
  /** What the frame's root was told to say. */
  token: string
  frame: number
  /** Where its document is drawn in the tab's viewport. */
  box: [number, number, number, number]
  /** Whether something of it can be clicked. */
  hit?: boolean
}

/** What capture() of a root gives. */
export interface RawCapture {
  url: string
  title: string
  lastID: number
  lastFrame?: number
  nodes: RawNode[]
  containers: { id: string, depth: string, hasMore: boolean }[]
  errors: string[]
  successes: string[]
  width: number
  height: number
  scroll: string
  focused: string
  html: string
  zone: string
  frames?: RawFrame[]
}

/** The roots of a tab merged. */
export interface TabCapture extends RawCapture {
  /** How many frames could not be captured. */
  missed: number
  /** Origins of frames that the user has not allowed. */
  closed: string[]
}

/** A root that was captured. */
export interface Root {
  frameId: number
  /** Number its parent's document gave to its iframe; 0 is the top document. */
  frame: number
  /** How the parent's document knows it, and the frame of that document. */
  token: string
  parent: number
  box: [number, number, number, number]
}

/** What is known of a tab's roots since its last capture. */
export interface TabMap {
  roots: Root[]
  /** Frame number, as in an id f<k>_<n>, to the browser's id of the frame that captured it. */
  frames: Record<string, number>
}

const mapKey = (tabId: number) => `frames_${tabId}`

/** The map of the last capture; only the top document where there is none. */
export async function mapOf(tabId: number): Promise<TabMap> {
  const stored = (await chrome.storage.session.get(mapKey(tabId)))[mapKey(tabId)]
  return (stored as TabMap | undefined) ?? { roots: [top], frames: {} }
}

const top: Root = { frameId: 0, frame: 0, token: "", parent: 0, box: [0, 0, 0, 0] }

/** The frame that has an element. */
export function frameOf(map: TabMap, id: string): number {
  const k = /^f(\d+)_/.exec(id)?.[1]
  return k === undefined ? 0 : map.frames[k] ?? 0
}

/** The frame whose root has the focus: what is pressed and typed without an element goes there.
 * Each root says in which of the roots below it the focus is. */
export async function frameWithFocus(tabId: number, { roots }: TabMap): Promise<number> {
  let frameId = 0
  for (;;) {
    const below = roots.filter((r) => r.frameId !== 0 && r.parent === frameId)
    if (below.length === 0) return frameId
    const token = await call<string>(tabId, frameId, "focusedFrame", [below.map((r) => r.token)])
    const inner = below.find((r) => r.token === token)
    if (!inner) return frameId
    frameId = inner.frameId
  }
}

/** How a tab is captured. */
export interface CaptureOptions { start: number, startFrame: number, full: boolean, limit: number }

/** Captures all roots of a tab; throws PageError where the top document cannot be captured. */
export async function captureTab(tabId: number, options: CaptureOptions): Promise<TabCapture> {
  const reached = await inject(tabId)
  await injectWorld(tabId)
  const tokens = await greet(tabId, reached.filter((frameId) => frameId !== 0))
  const merger = new Merger(tabId, options, tokens)
  const merged = await merger.root(top)
  await chrome.storage.session.set({ [mapKey(tabId)]: merger.map })
  return { ...merged, lastID: merger.lastID, lastFrame: merger.lastFrame, missed: merger.missed, closed: await closedOrigins(tabId) }
}

// greet has every root below the top say a token to its parent. A frame that a root reaches
// into by itself does not answer.
async function greet(tabId: number, frames: number[]): Promise<Map<string, number>> {
  const tokens = new Map<string, number>()
  if (frames.length === 0) return tokens
  await Promise.all(frames.map(async (frameId) => {
    const token = crypto.randomUUID()
    try {
      await call(tabId, frameId, "hello", [token], 2000)
      tokens.set(token, frameId)
    } catch (e) {
      if (!(e instanceof PageError)) throw e
    }
  }))
  if (tokens.size > 0) await new Promise((resolve) => setTimeout(resolve, underWay))
  return tokens
}

const underWay = 40 // milliseconds that a message between two frames may take

class Merger {
  lastID: number
  lastFrame: number
  missed = 0
  map: TabMap = { roots: [], frames: {} }

  constructor(private tabId: number, private options: CaptureOptions, private tokens: Map<string, number>) {
    this.lastID = options.start
    this.lastFrame = options.startFrame
  }

  // root captures one root and what is below it, its own elements first.
  async root(root: Root): Promise<RawCapture> {
    const { full, limit } = this.options
    const raw = await call<RawCapture>(this.tabId, root.frameId, "capture", [{
      start: this.lastID, startFrame: this.lastFrame, frame: root.frame, offset: { x: root.box[0], y: root.box[1] }, full, limit,
      tokens: [...this.tokens.keys()],
    }], 30_000)
    this.lastID = raw.lastID
    this.lastFrame = raw.lastFrame ?? this.lastFrame
    this.map.roots.push(root)
    this.map.frames[String(root.frame)] = root.frameId
    for (const n of raw.nodes) this.map.frames[String(n.frame)] ??= root.frameId
    return this.below(root, raw)
  }

  private async below(root: Root, raw: RawCapture): Promise<RawCapture> {
    const merged = { ...raw, nodes: [...raw.nodes], containers: [...raw.containers], errors: [...raw.errors], successes: [...raw.successes] }
    const inside = new Map<string, string>()
    for (const f of raw.frames ?? []) {
      const frameId = this.tokens.get(f.token)
      if (frameId === undefined) continue
      try {
        const child = await this.root({ frameId, frame: f.frame, token: f.token, parent: root.frameId, box: f.box })
        merged.nodes.push(...child.nodes)
        merged.containers.push(...child.containers)
        merged.errors.push(...child.errors)
        merged.successes.push(...child.successes)
        merged.focused ||= child.focused
        inside.set(f.token, child.html)
      } catch (e) {
        if (!(e instanceof PageError)) throw e
        this.missed++
      }
    }
    merged.html = fill(raw.html, inside)
    return merged
  }
}

const placeholder = /<div data-stepledger-frame="([^"]*)"><\/div>/g

/** Puts the html of frames where their parents' documents left room for it. */
export function fill(html: string, inside: Map<string, string>): string {
  return html.replace(placeholder, (_, token: string) => inside.get(token) ?? "")
}

const leastSize = 20 // CSS pixels; what is smaller is for nobody to see
const mostFrames = 50
const mostOrigins = 5
const closedWithin = 2000 // milliseconds

/**
 * Origins of frames that a person sees and that may not be read because the user has not allowed their sites. The
 * documents that may be read are asked where their frames are from.
 */
async function closedOrigins(tabId: number): Promise<string[]> {
  const results = await inTime(chrome.scripting.executeScript({
    target: { tabId, allFrames: true }, args: [leastSize, mostFrames],
    func: (least: number, most: number) => [...document.querySelectorAll("iframe")]
      .filter((f) => f.checkVisibility() && f.clientWidth >= least && f.clientHeight >= least).slice(0, most).map((f) => f.src),
  }), closedWithin).catch(() => [])
  const found = new Set<string>()
  for (const src of results.flatMap((r) => r.result ?? []).slice(0, mostFrames)) {
    if (found.size >= mostOrigins) break
    const origin = originOf(src)
    if (origin && !(await isAllowed(src))) found.add(origin)
  }
  return [...found].sort()
}

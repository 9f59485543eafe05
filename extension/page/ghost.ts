/**
 * Elements that a page has drawn anew: what the last capture showed of each id is kept, and
 * compared with what is there now. It promises to find nothing rather than another
 * element: a name, a row or a page that differs is never the one that was meant, nor is
 * one of several alike. Names are those of this script, before and after.
 */

import { type RawNode, tree } from "./capture"
import { clean, nameOf, regionName, roleOf } from "./describe"
import { rowOf } from "./row"
import { lastFrameNumber, lastNumber, numberFrom, resolve } from "./walk"

/** What is remembered of an element. */
interface Shown {
  role: string
  name: string
  row: string
  box: RawNode["box"]
  /** Another had the same role, name and row. */
  twin: boolean
}

let shown = new Map<string, Shown>()
let path = ""

/** here is the address without query and fragment. */
const here = () => location.href.replace(/[?#].*$/, "")

const keyOf = (n: { role: string, name: string, row: string }) => JSON.stringify([n.role, n.name, n.row])

/** remember keeps what a capture showed. Only the last counts: the next action follows from it. */
export const remember = (nodes: RawNode[]) => {
  path = here()
  const list = nodes.map((n) => {
    const el = resolve(n.id)
    return { id: n.id, role: n.role, name: n.name, box: n.box, row: el ? rowOf(el) : "", twin: false }
  })
  const count = new Map<string, number>()
  for (const n of list) count.set(keyOf(n), (count.get(keyOf(n)) ?? 0) + 1)
  shown = new Map(list.map(({ id, ...n }) => [id, { ...n, twin: (count.get(keyOf(n)) ?? 0) > 1 }]))
}

// Weights of a match.
const NAME = 0.4
const ROLE = 0.3
const PLACE = 0.3
const THRESHOLD = 0.5
const RADIUS = 50 // CSS pixels

const middle = ([x, y, w, h]: RawNode["box"]) => [x + w / 2, y + h / 2]

/** score is how alike two elements are, 0 if they cannot be the same. */
const score = (was: Shown, now: RawNode): number => {
  if (was.name !== now.name) return 0
  const [ax, ay] = middle(was.box)
  const [bx, by] = middle(now.box)
  return (was.name === "" ? 0 : NAME) + (was.role === now.role ? ROLE : 0) + (Math.hypot(ax - bx, ay - by) <= RADIUS ? PLACE : 0)
}

/** best is the one element that is most alike, null if it is not enough or there are two. */
const best = (was: Shown, nodes: RawNode[]): RawNode | null => {
  let found: RawNode | null = null
  let top = THRESHOLD
  let tied = false
  for (const n of nodes) {
    if (shown.has(n.id)) continue // it was there beside it
    const s = score(was, n)
    const el = s >= top ? resolve(n.id) : null
    if (!el || rowOf(el) !== was.row) continue
    tied = s === top && found !== null
    if (!tied) found = n
    top = s
  }
  return tied ? null : found
}

/** ghost finds what has taken the place of a vanished element of the last capture. The ids
 * and frames it numbers begin after start and startFrame, the last ones of the tab; lastID
 * and lastFrame are the last now. */
export const ghost = (id: string, start = 0, startFrame = 0): { id?: string, lastID: number, lastFrame: number } => {
  numberFrom(start, startFrame)
  const was = shown.get(id)
  if (!was || was.twin || path !== here()) return numbered()
  const found = best(was, tree())
  return found ? { id: found.id, ...numbered() } : numbered()
}

const numbered = () => ({ lastID: lastNumber(), lastFrame: lastFrameNumber() })

/** What an element is now. */
export interface Identity { role: string, name: string, row: string }

/** What an element was when the server was told; what is left out is as the last capture
 * showed it. */
export type Expected = Partial<Identity>

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** keeps reports a text that still has most words of another: a row of the same thing may
 * say more than it did, or count on. */
const keeps = (was: string, now: string) => {
  const words = wordsOf(was)
  const left = new Set(wordsOf(now))
  return words.filter((w) => left.has(w)).length >= 0.75 * words.length
}

/** same says whether an element is still what it was: some pages write another row into the
 * elements they have. It is to be asked right before the element is acted on; differs
 * names what has changed. */
export const same = (id: string, expected: Expected = {}): { found: boolean, same: boolean, differs: (keyof Identity)[] } & Identity => {
  const el = resolve(id)
  if (!el) return { found: false, same: false, differs: [], role: "", name: "", row: "" }
  const was = shown.get(id)
  const want = { role: was?.role, name: was?.name, row: was?.row, ...expected }
  const name = nameOf(el)
  const isCalled = [name, clean(name, 60), regionName(el)].find((n) => n === want.name)
  const now = { role: roleOf(el), name: isCalled ?? name, row: rowOf(el) }
  const differs: (keyof Identity)[] = []
  if (want.role !== undefined && want.role !== now.role) differs.push("role")
  if (want.name !== undefined && want.name !== now.name) differs.push("name")
  if (want.row !== undefined && !keeps(want.row, now.row)) differs.push("row")
  return { found: true, same: differs.length === 0, differs, ...now }
}

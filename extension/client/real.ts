/**
 * The real mouse and keyboard for one tab, from the settings to the end of the task: used
 * where the user has chosen it and this build has it, and given back when the task ends.
 */

import type { ActResult, Perform, Settings } from "../protocol"
import { nameByAccessibility } from "./axtree"
import { DebuggerError, attach, contextOf, detach, hasDebugger } from "./debugger"
import { type RawNode, type Root, frameOf, mapOf } from "./frames"
import { PageError, call } from "./page"
import { performTrusted, onDialog } from "./trusted"

export { watchDetach } from "./debugger"

/** Whether actions are done by the real mouse and keyboard. */
export const isReal = (settings: Settings): boolean => settings.trusted && hasDebugger()

interface Point { x: number, y: number }

/** pointInTab is where a point of a frame's root is in the tab's viewport. */
export async function pointInTab(tabId: number, roots: Root[], frameId: number, point: Point): Promise<Point> {
  let at = point
  for (let root = roots.find((r) => r.frameId === frameId); root && root.frameId !== 0;) {
    const { token, parent } = root
    const outer = await call<{ found: boolean, x?: number, y?: number }>(tabId, parent, "frameAt", [token, at.x, at.y])
    if (outer.x === undefined || outer.y === undefined) throw new PageError("ELEMENT_NOT_FOUND", "the frame of this element is gone")
    at = { x: outer.x, y: outer.y }
    root = roots.find((r) => r.frameId === parent)
  }
  return at
}

const longest = 60_000 // milliseconds

/** Does an action in a frame. Undefined where the debugger cannot be had, as when its user
 * ended it: nothing was done then, and made events are left. */
export async function performReal(tabId: number, frameId: number, order: Perform, inTab: (point: Point) => Promise<Point>): Promise<ActResult | undefined> {
  const send = await attach(tabId).catch((e: unknown) => {
    if (e instanceof DebuggerError) return undefined
    throw e
  })
  if (!send) return undefined
  const watch = new AbortController()
  const dialog = new Promise<void>((resolve) => onDialog(tabId, () => resolve(), watch.signal))
  try {
    return await performTrusted(order, send, {
      call: <T>(name: string, args: unknown[]) => call<T>(tabId, frameId, name, args, longest), inTab, dialog,
    })
  } finally {
    watch.abort()
  }
}

/** The nodes of a capture under the names that the browser has for them; those of frames of
 * another origin, and all where the debugger cannot be had, keep what the page's side calls
 * them. */
export async function namedByBrowser(tabId: number, nodes: RawNode[]): Promise<RawNode[]> {
  const named = nodes.map((n) => ({ ...n }))
  try {
    const send = await attach(tabId)
    const contextId = await contextOf(tabId, send)
    const map = await mapOf(tabId)
    if (contextId !== undefined) await nameByAccessibility({ send, contextId }, named.filter((n) => frameOf(map, n.id) === 0))
    return named
  } catch (e) {
    if (!(e instanceof DebuggerError)) throw e
    return nodes
  }
}

/** Gives the tab back, when the task has ended or its user stops it. */
export const leave = (tabId: number, isOver: boolean): Promise<void> => detach(tabId, isOver)

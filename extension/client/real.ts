/**
 * The real mouse and keyboard for one tab, from the settings to the end of the task: used
 * where the user has chosen it and this build has it, and given back when the task ends.
 */

import type { ActResult, Perform, Settings } from "../protocol"
import { attach, detach, hasDebugger } from "./debugger"
import { call } from "./page"
import { performTrusted, onDialog } from "./trusted"

export { watchDetach } from "./debugger"

/** Whether actions are done by the real mouse and keyboard. */
export const isReal = (settings: Settings): boolean => settings.trusted && hasDebugger()

/** Where a point of a frame's root is in the tab's viewport. */
export type Resolver = (frameId: number, point: { x: number, y: number }) => Promise<{ x: number, y: number }>

const longest = 60_000 // milliseconds

/** Does an action in a frame. It throws a DebuggerError where the debugger cannot be had. */
export async function performReal(tabId: number, frameId: number, order: Perform, inTab: Resolver): Promise<ActResult> {
  const send = await attach(tabId)
  const watch = new AbortController()
  const dialog = new Promise<void>((resolve) => onDialog(tabId, () => resolve(), watch.signal))
  try {
    return await performTrusted(order, send, {
      call: <T>(name: string, args: unknown[]) => call<T>(tabId, frameId, name, args, longest), inTab: (point) => inTab(frameId, point), dialog,
    })
  } finally {
    watch.abort()
  }
}

/** Gives the tab back, when the task has ended or its user stops it. */
export const leave = (tabId: number): Promise<void> => detach(tabId)

/**
 * The target of what is about to be done, outlined on its page. Every frame is told, and
 * the one that has the element draws; a page that cannot be reached is left alone.
 */

import type { FrameRequest, TaskRecord } from "../protocol"

/** What is to be outlined, null for nothing. */
export function targetOf(task: TaskRecord | undefined, wanted: boolean): { tabId: number, target: string } | null {
  const acts = task?.phase === "act" || task?.phase === "file" || task?.phase === "question"
  return wanted && acts && task.about?.target ? { tabId: task.tabId, target: task.about.target } : null
}

/** Outlines an element of a tab; "" takes the outline away. */
export async function outline(tabId: number, target: string): Promise<void> {
  const request: FrameRequest = { stepledger: 1, call: "highlight", args: [target] }
  await chrome.tabs.sendMessage(tabId, request).catch(() => undefined) // no script of ours is in that page
}

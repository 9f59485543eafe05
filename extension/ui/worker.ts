/**
 * Requests to the worker. An answer says only that it was taken: what comes of it is read
 * in storage. A worker that sleeps is woken by any message.
 */

import type { Failure, PanelReply, PanelRequest } from "../protocol"

/** The code where the worker gave no answer at all. */
export const SILENT = "SILENT"

/** Sends a request; null means that it was taken. */
export async function ask(request: PanelRequest): Promise<Failure | null> {
  try {
    const reply = await chrome.runtime.sendMessage(request) as PanelReply | undefined
    if (reply === undefined) return { code: SILENT, message: "" }
    return "error" in reply ? reply.error : null
  } catch (error) {
    return { code: SILENT, message: error instanceof Error ? error.message : "" }
  }
}

/** How often open runs are asked to go on; a worker without messages ends after 30 s. */
export const WAKE_EVERY = 20_000

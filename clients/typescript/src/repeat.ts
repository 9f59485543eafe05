import type { Failure, Result } from "./errors.js"

/** How often a call is repeated, and how long it may wait in between. */
export interface Patience {
  /** Attempts in all, the first included. */
  attempts: number
  /** The longest wait, in milliseconds; a server that asks for more is not waited for. */
  longestWait: number
  /** The first wait where the server names none, in milliseconds; it doubles. */
  firstWait: number
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The patience of a client that was given none. */
export const usualPatience: Patience = { attempts: 5, longestWait: 30_000, firstWait: 500, sleep }

/**
 * Makes a call until it has an answer that repeating would not change. The call has to
 * send the same request each time, under one key.
 */
export async function repeated<T>(p: Patience, call: () => Promise<Result<T>>, signal?: AbortSignal): Promise<Result<T>> {
  for (let made = 1; ; made++) {
    const result = await call()
    if (result.ok || made >= p.attempts || signal?.aborted || !passes(result.error)) return result
    const wait = waitBefore(p, made, result.error)
    if (wait > p.longestWait) return result
    await p.sleep(wait, signal)
  }
}

/** Whether a failure may pass by itself. */
export function passes(e: Failure): boolean {
  if (e.kind === "no answer") return true
  switch (e.status) {
    case 429: // a used-up budget does not come back within a wait
      return e.code === "RATE_LIMIT"
    case 503:
      return true
    case 409: // another request of the task is at work, perhaps this one
      return e.code === "RESOURCE_CONFLICT" && e.retryAfter !== undefined
  }
  return false
}

function waitBefore(p: Patience, made: number, e: Failure): number {
  if (e.kind === "refused" && e.retryAfter !== undefined) return e.retryAfter * 1000
  return Math.min(p.firstWait * 2 ** (made - 1), p.longestWait)
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener("abort", () => { clearTimeout(timer); resolve() }, { once: true })
  })
}

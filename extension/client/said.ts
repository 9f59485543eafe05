/**
 * What pages said while a task was at work: messages that appear, a toast that is gone a
 * second later. The frames send it as it happens, and it is kept in
 * chrome.storage.session, so that it outlives their documents and the worker.
 */

import type { Said } from "./request"

const keyOf = (tabId: number) => `said_${tabId}`
const most = 100

/** The messages of all tabs. */
export class SaidLog {
  private last: Promise<unknown> = Promise.resolve() // messages come faster than they are stored

  /** Begins anew, because an action begins. */
  clear(tabId: number): Promise<void> {
    return this.inTurn(() => chrome.storage.session.remove(keyOf(tabId)))
  }

  /** What the pages of a tab said since the last action began, the newest last. */
  since(tabId: number): Promise<Said[]> {
    return this.inTurn(() => this.load(tabId))
  }

  /** Keeps a message. */
  keep(tabId: number, message: Said): Promise<void> {
    return this.inTurn(async () => {
      const known = await this.load(tabId)
      await chrome.storage.session.set({ [keyOf(tabId)]: [...known, message].slice(-most) })
    })
  }

  private async load(tabId: number): Promise<Said[]> {
    return ((await chrome.storage.session.get(keyOf(tabId)))[keyOf(tabId)] ?? []) as Said[]
  }

  private inTurn<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.last.then(job)
    this.last = turn.catch(() => undefined)
    return turn
  }
}

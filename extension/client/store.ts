/**
 * What is kept of runs in chrome.storage.local: the record `task_<tabId>`, which the panel
 * reads, the log `log_<runId>`, and beside them what is too large for the record: the body
 * to be sent, and what the server was told of each element. Everything of one state is
 * written in one call, so that a worker that ends finds either the state before or the one
 * after. What must not be on a disk is in chrome.storage.session, which is memory: values
 * that are to be typed, and a chosen file, unless it is too large for that. It is written
 * before the state that needs it, and removed after the one that does not.
 */

import { type LogEntry, type Login, type Settings, defaultSettings } from "../protocol"
import type { Snapshot } from "./sentinel"
import { type Run, forgottenAfter, isEnded } from "./state"
import type { Values } from "./withhold"

/** What the server was told of an element, by its id. */
export type Shown = Record<string, { role: string, name: string, secret?: true, focused?: true }>

/** What is stored beside the record; null removes it. */
export interface Beside {
  /** The body of the request, as it is sent. */
  body?: string | null
  shown?: Shown | null
  /** What the page was like before an action, for its verification. */
  seen?: Snapshot | null
  file?: { name: string, type: string, data: string } | null
  /** What the actions of the answer type, where it may be secret. */
  values?: Values | null
}

const onDisk = ["body", "shown", "seen"] as const
const inMemory = ["file", "values"] as const
const besides = [...onDisk, ...inMemory]
const mostEntries = 400
const longestEntry = 2000

const area = () => chrome.storage.local
const memory = () => chrome.storage.session
const recordKey = (tabId: number) => `task_${tabId}`
const isRecord = (key: string) => /^task_\d+$/.test(key)

/** The run of a tab, if there is one. */
export async function loadRun(tabId: number): Promise<Run | undefined> {
  return (await area().get(recordKey(tabId)))[recordKey(tabId)] as Run | undefined
}

/** The runs of all tabs; a run that moved just before a death is given once. */
export async function loadRuns(): Promise<Run[]> {
  const all = await area().get(null)
  const byRun = new Map<string, Run>()
  for (const [key, value] of Object.entries(all)) {
    if (!isRecord(key)) continue
    const run = value as Run
    const known = byRun.get(run.runId)
    if (!known || run.loop.seq > known.loop.seq) byRun.set(run.runId, run)
  }
  return [...byRun.values()]
}

/** Stores a state. Where the run has moved to another tab, its record moves as well. */
export async function saveRun(run: Run, log: LogEntry[], beside: Beside = {}, from = run.tabId): Promise<void> {
  const values: Record<string, unknown> = { [recordKey(run.tabId)]: run }
  const gone: string[] = []
  const forgotten: string[] = []
  for (const name of besides) {
    const [key, value] = [`${name}_${run.runId}`, beside[name]]
    if (value === null || (value === undefined && isEnded(run.phase))) {
      gone.push(key)
      if (!isOnDisk(name)) forgotten.push(key)
    } else if (value !== undefined && (isOnDisk(name) || !(await remember(name, key, value)))) values[key] = value
  }
  if (log.length > 0) values[`log_${run.runId}`] = await appended(run.runId, log)
  await area().set(values)
  if (from !== run.tabId) gone.push(recordKey(from))
  if (gone.length > 0) await area().remove(gone)
  if (forgotten.length > 0) await memory().remove(forgotten)
}

const isOnDisk = (name: keyof Beside) => (onDisk as readonly string[]).includes(name)

// remember keeps something in memory, and says whether it did: only a file may be on the disk
// where there is no room for it.
async function remember(name: keyof Beside, key: string, value: unknown): Promise<boolean> {
  try {
    await memory().set({ [key]: value })
    return true
  } catch (e) {
    if (name !== "file") throw e
    return false
  }
}

async function appended(runId: string, log: LogEntry[]): Promise<LogEntry[]> {
  const known = ((await area().get(`log_${runId}`))[`log_${runId}`] ?? []) as LogEntry[]
  const short = log.map((e) => ({ ...e, text: e.text.slice(0, longestEntry) }))
  return [...known, ...short].slice(-mostEntries)
}

/** What is stored beside a record. */
export async function loadBeside<K extends keyof Beside>(run: Run, name: K): Promise<NonNullable<Beside[K]> | undefined> {
  const key = `${name}_${run.runId}`
  const remembered = isOnDisk(name) ? undefined : (await memory().get(key))[key]
  return (remembered ?? (await area().get(key))[key]) as NonNullable<Beside[K]> | undefined
}

/** Forgets a run and everything of it. */
export async function forgetRun(run: Run): Promise<void> {
  const keys = besides.map((n) => `${n}_${run.runId}`)
  await area().remove([recordKey(run.tabId), `log_${run.runId}`, ...keys])
  await memory().remove(keys)
}

/** Forgets what no record names any more, records that were moved, and ended runs whose time is over. */
export async function tidy(now: number): Promise<void> {
  const all = await area().get(null)
  const runs = Object.entries(all).filter(([key]) => isRecord(key)).map(([, run]) => run as Run)
  const newest = new Map<string, number>()
  for (const { runId, loop } of runs) newest.set(runId, Math.max(loop.seq, newest.get(runId) ?? 0))
  const moved = runs.filter((r) => r.loop.seq < newest.get(r.runId)!) // their death came before they were removed
  if (moved.length > 0) await area().remove(moved.map((r) => recordKey(r.tabId)))
  const live = new Set(runs.map((r) => r.runId))
  for (const run of runs) if (isEnded(run.phase) && now - run.timestamp > forgottenAfter) await forgetRun(run)
  const orphans = (keys: string[]) => keys.filter((key) => {
    const m = /^(?:log|body|shown|seen|file|values)_(.+)$/.exec(key)
    return m && !live.has(m[1])
  })
  const [left, remembered] = [orphans(Object.keys(all)), orphans(Object.keys(await memory().get(null)))]
  if (left.length > 0) await area().remove(left)
  if (remembered.length > 0) await memory().remove(remembered)
}

/** The settings, with defaults for what is not set. */
export async function loadSettings(): Promise<Settings> {
  const stored = ((await area().get("settings")).settings ?? {}) as Partial<Settings>
  return { ...defaultSettings, ...stored, timing: { ...defaultSettings.timing, ...stored.timing } }
}

/** The login, undefined where nobody is logged in. */
export async function loadLogin(): Promise<Login | undefined> {
  return (await area().get("login")).login as Login | undefined
}

export async function saveLogin(login: Login | undefined): Promise<void> {
  if (login) await area().set({ login })
  else await area().remove("login")
}

/** The session of the last answer, for a tab whose record is lost. */
export async function lastSession(): Promise<string> {
  return String((await area().get("session")).session ?? "")
}

/** Remembers the session of the last answer; "" forgets it. */
export async function rememberSession(sessionId: string): Promise<void> {
  if (sessionId === (await lastSession())) return
  if (sessionId) await area().set({ session: sessionId })
  else await area().remove("session")
}

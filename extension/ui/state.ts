/**
 * What the panel knows: what chrome.storage holds, which tab is active, and which run the
 * person looks at. Pure: every change is an event, and a panel that is opened anew is
 * where it was as soon as storage is read.
 *
 * The panel is bound to a run, not to a tab: a run that goes on in another tab stays in
 * view, and switching to a tab without a task forces no new one.
 */

import { defaultSettings, type LogEntry, type Login, type Phase, type Settings, type TaskRecord } from "../protocol"

export interface PanelState {
  /** Storage has been read. */
  ready: boolean
  /** By tab. */
  tasks: Record<number, TaskRecord>
  /** By run. */
  logs: Record<string, LogEntry[]>
  settings: Settings
  login: Login | null
  activeTab: number | null
  /** The run in view wherever its tab is; null follows the active tab. */
  bound: string | null
  /** The person wants to write a new task. */
  composing: boolean
}

export type PanelEvent =
  | { on: "stored", items: Record<string, unknown> }
  | { on: "changed", changes: Record<string, { newValue?: unknown }> }
  | { on: "activated", tabId: number | null }
  | { on: "picked", runId: string }
  | { on: "composing" }
  | { on: "back" }
  | { on: "started" }

export const emptyPanel: PanelState = {
  ready: false, tasks: {}, logs: {}, settings: defaultSettings, login: null, activeTab: null, bound: null, composing: false,
}

export function panelAfter(state: PanelState, event: PanelEvent): PanelState {
  switch (event.on) {
    case "stored": return { ...take(state, Object.entries(event.items)), ready: true }
    case "changed": return take(state, Object.entries(event.changes).map(([key, change]) => [key, change.newValue]))
    case "activated": return activated(state, event.tabId)
    case "picked": return { ...state, bound: event.runId, composing: false }
    case "composing": return { ...state, composing: true }
    case "back": return { ...state, composing: false }
    case "started": return { ...state, bound: null, composing: false }
  }
}

/** Binds the panel to the task of a tab that comes to the front, if it has one. */
function activated(state: PanelState, tabId: number | null): PanelState {
  if (tabId === state.activeTab) return state
  const here = tabId === null ? undefined : state.tasks[tabId]
  const inView = shown(state)
  if (here) return { ...state, activeTab: tabId, bound: here.runId, composing: false }
  return { ...state, activeTab: tabId, bound: inView ? inView.runId : null, composing: state.composing }
}

function take(state: PanelState, entries: [string, unknown][]): PanelState {
  const next = { ...state, tasks: { ...state.tasks }, logs: { ...state.logs } }
  for (const [key, value] of entries) {
    if (key === "settings") next.settings = { ...defaultSettings, ...(value as Partial<Settings> | undefined) }
    else if (key === "login") next.login = (value as Login | undefined) ?? null
    else if (key.startsWith("log_")) put(next.logs, key.slice(4), value as LogEntry[] | undefined)
    else if (key.startsWith("task_")) put(next.tasks, Number(key.slice(5)), withoutLoop(value as TaskRecord | undefined))
  }
  return next
}

function put<K extends string | number, V>(into: Record<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) delete into[key]
  else into[key] = value
}

/** The loop's own part holds requests of megabytes, and is nobody else's. */
function withoutLoop(record: TaskRecord | undefined): TaskRecord | undefined {
  return record && { ...record, loop: null }
}

/** The run in view; undefined means that a new task can be written. */
export function shown(state: PanelState): TaskRecord | undefined {
  if (state.composing) return undefined
  const bound = Object.values(state.tasks).find((task) => task.runId === state.bound)
  return bound ?? (state.activeTab === null ? undefined : state.tasks[state.activeTab])
}

const ENDED = new Set<Phase>(["done", "failed", "stopped"])

/** Whether a run goes on, or waits to. */
export const isOpen = (task: TaskRecord): boolean => !ENDED.has(task.phase)

/** The open runs that are not in view, the latest first. */
export function others(state: PanelState): TaskRecord[] {
  const inView = shown(state)?.runId
  return Object.values(state.tasks).filter((task) => isOpen(task) && task.runId !== inView).sort((a, b) => b.timestamp - a.timestamp)
}

/** Whether the server takes the login as far as its time goes. */
export function loggedIn(login: Login | null, now: number): boolean {
  return login !== null && !(Date.parse(login.expiresAt) <= now)
}

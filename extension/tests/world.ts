/**
 * A browser, pages and a server made by hand, and a worker that can be killed at any call it
 * makes of them. What a real browser keeps over the death of a worker is kept: storage,
 * tabs, documents. Everything else is thrown away.
 */

import { vi } from "vitest"

import type { Runner } from "../client/run"
import { isEnded, type Run } from "../client/state"
import { startWorker } from "../client/worker"
import type { Action, ActResult, Answer, PanelRequest, Perform } from "../protocol"

declare const setImmediate: (run: () => void) => void // of node, whose types are not known here

const never = new Promise<never>(() => undefined)

type Listener = (...args: never[]) => unknown

class Happening {
  private listeners: Listener[] = []
  addListener = (l: Listener) => void this.listeners.push(l)
  fire(...args: unknown[]): unknown[] { return this.listeners.map((l) => (l as (...a: unknown[]) => unknown)(...args)) }
}

/** One document of a tab. */
export interface Doc {
  name: string
  acts: Map<string, ActResult>
  nodes: { id: string, role: string, name: string, value?: string, state?: string[] }[]
  dialog: { kind: string, message: string, initial: string } | null
  yes: string[]
  /** It asks before it is left. */
  stays?: boolean
}

export interface Tab { id: number, url: string, status: string, openerTabId?: number, doc: Doc }

/** Something the page did, once for every time it did it. */
export interface Deed { action: string, tab: number }

/** What a page does for an action; it may replace its document. */
export type Behaviour = (action: Action, tab: Tab, world: World) => ActResult | void

export class World {
  local = new Map<string, string>()
  session = new Map<string, string>()
  /** All that was ever written to the disk. */
  written: string[] = []
  /** Memory takes no file. */
  full = false
  /** Names of the files that reached a page. */
  files: string[] = []
  tabs = new Map<number, Tab>()
  alarms = new Map<string, unknown>()
  allowed = new Set(["http://a.test/*"])
  deeds: Deed[] = []
  bodies: { key: string, body: string, tokenAt: number }[] = []
  told: string[] = []
  /** Paths that the account may not use. */
  forbidden = new Set<string>()
  answers = new Map<string, { body: string, answer: unknown, status: number }>()
  runner!: Runner
  ops: string[] = []
  killAt = -1
  offline = false
  /** What the server has at work, for a record that is lost. */
  active: { taskId: string, query: string, paused?: unknown } | null = { taskId: "t1", query: "q" }
  /** How many calls there were before the task. */
  begun = 0
  dead = false
  deaths = 0
  private events: Record<string, Happening> = {}

  constructor(public behave: Behaviour, public serve: (body: Record<string, unknown>, turn: number) => Partial<Answer> | { status: number, body: unknown, retryAfter?: number }) {
    this.tabs.set(1, { id: 1, url: "http://a.test/", status: "complete", doc: newDoc() })
    this.local.set("login", JSON.stringify({ accessToken: "t", expiresAt: "", email: "a@b.c" }))
    this.local.set("settings", JSON.stringify({ server: "http://server.test", timing: { minWait: 10, domSettled: 0, networkIdle: 10, maxWait: 200 } }))
  }

  /** What every call of the worker goes through: after the fatal one's effect it ends, and hears nothing of it. */
  async op<T>(name: string, apply: () => T | Promise<T>): Promise<T> {
    if (this.dead) return never
    this.ops.push(name)
    const fatal = this.ops.length - 1 === this.killAt
    const result = await apply()
    if (fatal) return this.die()
    return this.dead ? never : result
  }

  private die(): Promise<never> {
    this.dead = true
    this.deaths++
    vi.clearAllTimers()
    return never
  }

  /** Starts a worker with nothing in its memory. */
  boot(): void {
    this.dead = false
    this.events = {}
    vi.stubGlobal("chrome", this.chrome())
    vi.stubGlobal("fetch", (request: Request) => this.op("fetch", () => this.answer(request)))
    this.runner = startWorker()
  }

  event(name: string): Happening { return (this.events[name] ??= new Happening()) }

  /** Sends what the panel sends, and waits for nothing. */
  panel(request: PanelRequest): void {
    this.event("runtime.onMessage").fire(request, { url: "chrome-extension://x/sidepanel.html" }, () => undefined)
  }

  run(tabId?: number): Run | undefined {
    for (const [key, value] of this.local) if (tabId === undefined ? /^task_\d+$/.test(key) : key === `task_${tabId}`) return JSON.parse(value) as Run
    return undefined
  }

  /** Lets time pass until something holds; a dead worker is started anew, as by the alarm. */
  async until(holds: () => boolean, most = 3000): Promise<void> {
    for (let i = 0; i < most; i++) {
      await settleMicrotasks()
      if (this.dead) {
        if (!this.alarms.has("resume") && this.run() && !isEnded(this.run()!.phase) && this.run()!.phase !== "question") throw new Error("nothing would wake the worker")
        this.boot()
        this.event("alarms.onAlarm").fire({ name: "resume" })
        continue
      }
      if (holds()) return
      await vi.advanceTimersToNextTimerAsync()
    }
    throw new Error(`it never came: ${JSON.stringify(this.run())?.slice(0, 1500)}\nlast calls: ${this.ops.slice(-20).join(" ")}`)
  }

  /** Another page in the tab. */
  navigate(tab: Tab, url: string, nodes = tab.doc.nodes): void {
    tab.url = url
    tab.doc = newDoc(nodes)
  }

  private async answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname
    if (path !== "/api/agent/interact") {
      this.told.push(path)
      if (this.forbidden.has(path)) return json(403, { success: false, code: "FORBIDDEN", message: "not allowed" })
      if (path === "/api/usage/summary") return json(200, { success: true, data: { totals: { costUSD: "0.01" } } })
      if (path.endsWith("/active")) return this.active ? json(200, { success: true, data: this.active }) : json(404, { success: false, code: "TASK_NOT_FOUND", message: "none" })
      if (path.endsWith("/login")) return json(200, { success: true, data: { accessToken: "t2", expiresAt: "", user: { email: "a@b.c" } } })
      return json(200, { success: true, data: { taskId: "t1", turnOpen: false, revision: 1, status: "active" } })
    }
    if (this.offline) throw new TypeError("Failed to fetch")
    const [body, key] = [await request.text(), request.headers.get("Idempotency-Key") ?? ""]
    const known = this.answers.get(key)
    if (known && known.body !== body) return json(409, { success: false, code: "RESOURCE_CONFLICT", message: "another body under this key" })
    if (known) return json(known.status, known.answer)
    this.bodies.push({ key, body, tokenAt: this.ops.length })
    const said = this.serve(JSON.parse(body) as Record<string, unknown>, this.answers.size)
    if ("body" in said && "status" in said && typeof said.status === "number") {
      this.bodies.pop()
      return json(said.status, said.body)
    }
    const answer = {
      success: true, data: {
        taskId: "t1", sessionId: "s1", status: "executing", thought: "thinking", stepIndex: this.answers.size, hasOrgKnowledge: false,
        usage: { promptTokens: 1, completionTokens: 1 }, ...said,
      },
    }
    this.answers.set(key, { body, answer, status: 200 })
    return json(200, answer)
  }

  private area(map: Map<string, string>) {
    return {
      get: (keys: string | string[] | null) => this.op("get", () => {
        const names = keys === null ? [...map.keys()] : [keys].flat()
        return Object.fromEntries(names.filter((n) => map.has(n)).map((n) => [n, JSON.parse(map.get(n)!)]))
      }),
      set: (values: Record<string, unknown>) => this.op(`set ${Object.keys(values).join(",")}`, () => {
        if (map === this.session && this.full && Object.keys(values).some((k) => k.startsWith("file_"))) throw new Error("QUOTA_BYTES quota exceeded")
        for (const [k, v] of Object.entries(values)) map.set(k, JSON.stringify(v))
        if (map === this.local) this.written.push(JSON.stringify(values))
        if (map === this.local) this.event("storage.onChanged").fire(Object.fromEntries(Object.entries(values).map(([k, newValue]) => [k, { newValue }])), "local")
      }),
      remove: (keys: string | string[]) => this.op(`remove ${[keys].flat().join(",")}`, () => {
        for (const k of [keys].flat()) map.delete(k)
      }),
    }
  }

  private tabInfo = (t: Tab) => ({ id: t.id, url: this.allowed.has(`${new URL(t.url).protocol}//${new URL(t.url).hostname}/*`) || !t.url.startsWith("http") ? t.url : undefined, status: t.status, openerTabId: t.openerTabId, windowId: 1 })

  private tabOr(id: number): Tab {
    const tab = this.tabs.get(id)
    if (!tab) throw new Error(`No tab with id: ${id}.`)
    return tab
  }

  private chrome() {
    const on = (name: string) => ({ addListener: (l: Listener) => this.event(name).addListener(l) })
    return {
      storage: { local: this.area(this.local), session: this.area(this.session), onChanged: on("storage.onChanged") },
      runtime: {
        onStartup: on("runtime.onStartup"), onInstalled: on("runtime.onInstalled"), onMessage: on("runtime.onMessage"), onConnect: on("runtime.onConnect"),
        getPlatformInfo: () => this.op("platform", () => ({})), getURL: (path: string) => `chrome-extension://x/${path}`,
      },
      alarms: { onAlarm: on("alarms.onAlarm"), create: (name: string, info: unknown) => this.op("alarm", () => void this.alarms.set(name, info)), clear: (name: string) => this.op("clear alarm", () => this.alarms.delete(name)) },
      action: { onClicked: on("action.onClicked") },
      permissions: {
        onAdded: on("permissions.onAdded"), onRemoved: on("permissions.onRemoved"),
        contains: ({ origins }: { origins: string[] }) => this.op("contains", () => origins.every((o) => this.allowed.has(o))),
        getAll: () => this.op("getAll", () => ({ origins: [...this.allowed] })),
      },
      scripting: {
        executeScript: ({ target: { tabId }, files, world }: { target: { tabId: number }, files?: string[], world?: string }) => this.op(world ? "inject world" : files ? "inject" : "ask frames", () => {
          const tab = this.tabOr(tabId)
          if (!this.tabInfo(tab).url?.startsWith("http")) throw new Error("Cannot access contents of the page.")
          return [{ frameId: 0, result: files ? null : [] }]
        }),
        getRegisteredContentScripts: () => this.op("registered", () => []),
        registerContentScripts: () => this.op("register", () => undefined),
        unregisterContentScripts: () => this.op("unregister", () => undefined),
      },
      tabs: {
        onRemoved: on("tabs.onRemoved"), onReplaced: on("tabs.onReplaced"), onUpdated: on("tabs.onUpdated"),
        get: (id: number) => this.op("tab", () => this.tabInfo(this.tabOr(id))),
        query: () => this.op("tabs", () => [...this.tabs.values()].map(this.tabInfo)),
        update: (id: number, { url }: { url: string }) => this.op("navigate", () => {
          this.deeds.push({ action: `navigate ${url}`, tab: id })
          this.navigate(this.tabOr(id), url)
        }),
        goBack: (id: number) => this.op("goBack", () => {
          this.deeds.push({ action: "goBack", tab: id })
          this.navigate(this.tabOr(id), "http://a.test/")
        }),
        sendMessage: (id: number, m: { call: string, args: unknown[] }) => this.op(`page ${m.call}`, () => this.page(this.tabOr(id), m.call, m.args)),
      },
    }
  }

  private page(tab: Tab, call: string, args: unknown[]): unknown {
    const { doc } = tab
    const counted = { document: doc.name, choices: [], added: 0, removed: 0, mutations: 1, direct: 1, touched: true }
    switch (call) {
      case "capture": {
        const { start } = args[0] as { start: number }
        return { ok: captureOf(tab, start) }
      }
      case "arm": return { ok: counted }
      case "disarm": return { ok: counted }
      case "quiet": return { ok: { ms: 10_000, ready: true, scheduled: 0 } }
      case "network": return { ok: { pending: 0, started: 1, failed: [], errors: 0 } }
      case "performed": {
        const result = doc.acts.get(args[0] as string)
        return { ok: result ? { state: "done", result } : { state: "unknown" } }
      }
      case "perform": return this.perform(tab, args[0] as Perform)
      case "leaveDialogs": return { ok: null }
      case "staysOnLeave":
        if (doc.stays) doc.dialog = { kind: "beforeunload", message: "Leave?", initial: "" }
        return { ok: doc.stays === true }
      case "openDialog": return { ok: doc.dialog }
      case "answerDialog": {
        const { accept, message } = args[0] as { accept: boolean, message: string }
        if (accept) doc.yes.push(message)
        return { ok: null }
      }
    }
    return { error: { code: "INVALID_CALL", message: call } }
  }

  private perform(tab: Tab, { token, action, file }: Perform): unknown {
    const { doc } = tab
    const known = doc.acts.get(token)
    if (known) return { ok: known }
    if (file) this.files.push(file.name)
    this.deeds.push({ action: `${action.name} ${action.target} ${action.text}`.trim(), tab: tab.id })
    const result = this.behave(action, tab, this) ?? { done: true }
    doc.acts.set(token, result)
    if (tab.doc !== doc) throw new Error("The message port closed before a response was received.")
    return { ok: result }
  }
}

let documents = 0
const newDoc = (nodes: Doc["nodes"] = [{ id: "1", role: "button", name: "Save" }, { id: "2", role: "textbox", name: "Name" }]): Doc =>
  ({ name: `document ${++documents}`, acts: new Map(), nodes, dialog: null, yes: [] })

const captureOf = (tab: Tab, start: number) => ({
  url: tab.url, title: "A page", lastID: Math.max(start, 2), lastFrame: 0, containers: [], errors: [], successes: [], width: 800, height: 600, scroll: "0%",
  focused: "", html: `<body>${tab.doc.name}</body>`, zone: "Europe/Oslo", frames: [],
  nodes: tab.doc.nodes.map((n) => ({ frame: 0, value: "", state: [], box: [0, 0, 10, 10], occluded: false, scroll: null, ...n })),
})

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } })

/** Lets everything run that waits for no timer. */
export async function settleMicrotasks(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Makes time stand still until the world lets it pass. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] })
}

import { describe, expect, it } from "vitest"

import type { TaskRecord } from "../../protocol"
import { emptyPanel, isOpen, loggedIn, others, panelAfter, shown, type PanelEvent, type PanelState } from "../../ui/state"
import { taskRecord } from "./records"

const after = (...events: PanelEvent[]): PanelState => events.reduce(panelAfter, emptyPanel)
const stored = (...tasks: TaskRecord[]): PanelEvent => ({ on: "stored", items: Object.fromEntries(tasks.map((task) => [`task_${task.tabId}`, task])) })
const changed = (key: string, newValue?: unknown): PanelEvent => ({ on: "changed", changes: { [key]: { newValue } } })
const first = taskRecord({ tabId: 1, runId: "a" })
const second = taskRecord({ tabId: 2, runId: "b", phase: "question", timestamp: 2 })

describe("the run in view", () => {
  it("is that of the active tab, whichever is known first", () => {
    expect(shown(after(stored(first, second), { on: "activated", tabId: 2 }))?.runId).toBe("b")
    expect(shown(after({ on: "activated", tabId: 2 }, stored(first, second)))?.runId).toBe("b")
  })

  it("changes with the active tab where that has one", () => {
    const state = after(stored(first, second), { on: "activated", tabId: 1 }, { on: "activated", tabId: 2 })
    expect(shown(state)?.runId).toBe("b")
  })

  it("stays when a tab without a task comes to the front", () => {
    const state = after(stored(first), { on: "activated", tabId: 1 }, { on: "activated", tabId: 9 })
    expect(shown(state)?.runId).toBe("a")
    expect(shown(panelAfter(state, { on: "activated", tabId: 1 }))?.runId).toBe("a")
  })

  it("goes with the run into another tab", () => {
    const moved = { ...first, tabId: 7 }
    const state = after(stored(first), { on: "activated", tabId: 1 }, { on: "activated", tabId: 9 }, changed("task_1"), changed("task_7", moved))
    expect(shown(state)).toMatchObject({ runId: "a", tabId: 7 })
  })

  it("is the one picked, until another tab with a task comes to the front", () => {
    const state = after(stored(first, second), { on: "activated", tabId: 1 }, { on: "picked", runId: "b" })
    expect(shown(state)?.runId).toBe("b")
    expect(shown(after(stored(first, second), { on: "activated", tabId: 2 }, { on: "picked", runId: "a" }, { on: "activated", tabId: null }, { on: "activated", tabId: 2 }))?.runId).toBe("b")
  })

  it("makes room for a new task only when asked", () => {
    const state = after(stored(first), { on: "activated", tabId: 1 }, { on: "activated", tabId: 9 }, { on: "composing" })
    expect(shown(state)).toBeUndefined()
    expect(shown(panelAfter(state, { on: "back" }))?.runId).toBe("a")
    const started = panelAfter(panelAfter(state, { on: "started" }), changed("task_9", taskRecord({ tabId: 9, runId: "c" })))
    expect(shown(started)?.runId).toBe("c")
  })

  it("is none once its record is gone", () => {
    expect(shown(after(stored(first), { on: "activated", tabId: 1 }, changed("task_1")))).toBeUndefined()
  })
})

describe("other runs", () => {
  it("are the open ones that are not in view, the latest first", () => {
    const ended = taskRecord({ tabId: 3, runId: "c", phase: "done" })
    const late = taskRecord({ tabId: 4, runId: "d", timestamp: 9 })
    const state = after(stored(first, second, ended, late), { on: "activated", tabId: 1 })
    expect(others(state).map((task) => task.runId)).toEqual(["d", "b"])
  })
})

describe("what is stored", () => {
  it("leaves the loop's own part and what is not ours alone", () => {
    const state = after({ on: "stored", items: { task_1: { ...first, loop: { body: "secret" } }, something: 1 } })
    expect(JSON.stringify(state)).not.toContain("secret")
  })

  it("completes settings of an older version", () => {
    const state = after(changed("settings", { server: "https://a.example" }))
    expect(state.settings).toMatchObject({ server: "https://a.example", sendScreenshots: true, trusted: false })
    expect(panelAfter(state, changed("settings")).settings.server).toBe(emptyPanel.settings.server)
  })

  it("takes logs by run", () => {
    const entry = { at: 1, kind: "user", text: "Do it" }
    expect(after(changed("log_a", [entry])).logs).toEqual({ a: [entry] })
    expect(after(changed("log_a", [entry]), changed("log_a")).logs).toEqual({})
  })
})

describe("a login", () => {
  it("holds until it expires", () => {
    const login = { accessToken: "t", expiresAt: "2030-01-01T00:00:00Z", email: "a@b.example" }
    expect(loggedIn(login, Date.parse("2029-12-31T23:59:59Z"))).toBe(true)
    expect(loggedIn(login, Date.parse("2030-01-01T00:00:00Z"))).toBe(false)
    expect(loggedIn(null, 0)).toBe(false)
  })
})

it("a run is open until it has ended", () => {
  expect((["look", "question", "trouble", "held", "done", "failed", "stopped"] as const).filter((phase) => isOpen(taskRecord({ phase })))).toEqual(["look", "question", "trouble", "held"])
})

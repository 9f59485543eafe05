import { describe, expect, it } from "vitest"

import type { Phase } from "../../protocol"
import { targetOf } from "../../ui/highlight"
import { newsOf } from "../../ui/news"
import { costText, phaseView } from "../../ui/view"
import { taskRecord } from "./records"

const phases: Phase[] = ["look", "ask", "act", "settle", "question", "permission", "file", "held", "trouble", "done", "failed", "stopped"]

describe("phaseView", () => {
  it.each(phases)("of %s can be stopped while it is open, and says what it is", (phase) => {
    const view = phaseView(taskRecord({ phase }))
    const ended = phase === "done" || phase === "failed" || phase === "stopped"
    expect(view.controls.includes("stop")).toBe(!ended)
    expect(view.title).not.toBe("")
    expect(view.controls.length).toBeGreaterThan(0)
  })

  it("offers a reply to a question, and a new task after the end", () => {
    expect(phases.filter((phase) => phaseView(taskRecord({ phase })).composer === "reply")).toEqual(["question"])
    expect(phases.filter((phase) => phaseView(taskRecord({ phase })).composer === "start")).toEqual(["done", "failed", "stopped"])
  })

  it("says a failure in words of ours where there are some, and once", () => {
    const restricted = { code: "RESTRICTED_PAGE", message: "chrome:// cannot be scripted" }
    const view = phaseView(taskRecord({ phase: "trouble", failure: restricted, message: restricted.message }))
    expect(view.texts).toHaveLength(1)
    expect(view.texts[0]).toContain("No extension may work on this page")
    const other = { code: "SERVER_BUSY", message: "The server is busy" }
    expect(phaseView(taskRecord({ phase: "trouble", failure: other, message: other.message })).texts).toEqual(["The server is busy", "It is tried again by itself."])
  })

  it("says that the login is needed, and not that it is tried again", () => {
    const failure = { code: "UNAUTHORIZED", message: "Log in to go on." }
    expect(phaseView(taskRecord({ phase: "trouble", failure, message: failure.message })).texts).toEqual(["Log in to go on."])
  })

  it("tells a hold of one's own from one at the server", () => {
    expect(phaseView(taskRecord({ phase: "held" })).texts[0]).toContain("You have taken over")
    expect(phaseView(taskRecord({ phase: "held", message: "Held by an operator." })).texts).toEqual(["Held by an operator."])
  })

  it("goes on with a stopped task, where the server knows it", () => {
    expect(phaseView(taskRecord({ phase: "stopped" })).controls).toEqual(["goOn", "forget"])
    expect(phaseView(taskRecord({ phase: "stopped", taskId: "" })).controls).toEqual(["again", "forget"])
  })

  it("says what to do where the site is not known", () => {
    expect(phaseView(taskRecord({ phase: "permission", origins: [] })).texts[0]).toContain("Click the icon")
    expect(phaseView(taskRecord({ phase: "permission", origins: ["https://a.example/*"] })).texts[0]).toContain("read and use this site")
  })
})

describe("costText", () => {
  it.each([
    [undefined, undefined], ["", undefined], ["unknown", undefined], ["0", "Cost so far: $0.00"], ["0.0312045", "Cost so far: $0.0312"],
    ["0.00000001", "Cost so far: less than $0.0001"], ["12.3456", "Cost so far: $12.35"],
  ])("of %s is %s", (usd, text) => expect(costText(usd)).toBe(text))
})

describe("newsOf", () => {
  const task = taskRecord({ phase: "act" })
  const line = { at: 0, kind: "thought" as const, text: "The form is open" }

  it("is nothing where nothing changed, or another run came into view as it was", () => {
    expect(newsOf({ task, log: [line] }, { task, log: [line] })).toBeNull()
    expect(newsOf({ log: [] }, { task, log: [line] })).toBeNull()
    expect(newsOf({ task, log: [] }, { log: [] })).toBeNull()
  })

  it("tells at once what waits for the person", () => {
    const asks = taskRecord({ phase: "question", message: "Which name?", missing: ["first name"] })
    expect(newsOf({ task, log: [] }, { task: asks, log: [] })).toEqual({ text: "A question: Which name? first name", urgent: true })
    const needs = taskRecord({ phase: "permission", origins: ["https://a.example/*"] })
    expect(newsOf({ task, log: [] }, { task: needs, log: [] })).toMatchObject({ urgent: true, text: expect.stringContaining("https://a.example/*") })
  })

  it("tells new lines and the end when it is quiet", () => {
    const verdict = { at: 1, kind: "verdict" as const, text: "", stepIndex: 0, outcome: "succeeded" as const }
    expect(newsOf({ task, log: [] }, { task, log: [line, verdict] })).toEqual({ text: "The form is open Step 1: Worked", urgent: false })
    const done = taskRecord({ phase: "done", message: "The patient is added" })
    expect(newsOf({ task, log: [] }, { task: done, log: [] })).toEqual({ text: "Done. The patient is added", urgent: false })
  })
})

describe("targetOf", () => {
  const about = { text: "Click Save", target: "f1_5" }
  it("is outlined while it is to be acted on", () => {
    expect(targetOf(taskRecord({ phase: "act", about }), true)).toEqual({ tabId: 1, target: "f1_5" })
    expect(targetOf(taskRecord({ phase: "act", about }), false)).toBeNull()
    expect(targetOf(taskRecord({ phase: "look", about }), true)).toBeNull()
    expect(targetOf(taskRecord({ phase: "act", about: { text: "Wait", target: "" } }), true)).toBeNull()
    expect(targetOf(undefined, true)).toBeNull()
  })
})

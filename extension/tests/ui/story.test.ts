import { describe, expect, it } from "vitest"

import type { LogEntry } from "../../protocol"
import { story } from "../../ui/story"

const line = (kind: LogEntry["kind"], text: string, more: Partial<LogEntry> = {}): LogEntry => ({ at: 0, kind, text, ...more })

describe("story", () => {
  it("puts a verdict to its step, whenever it comes", () => {
    const items = story([
      line("user", "Add a patient"),
      line("thought", "The form has a button", { stepIndex: 0 }),
      line("action", "Click Add", { stepIndex: 0 }),
      line("action", "Write Jas into Name", { stepIndex: 1 }),
      line("verdict", "", { stepIndex: 0, outcome: "succeeded", confidence: 0.92, reason: "A dialog opened" }),
      line("end", "The patient is added"),
    ])
    expect(items).toEqual([
      { kind: "user", text: "Add a patient" },
      { kind: "step", index: 0, thoughts: ["The form has a button"], attempts: [{ actions: ["Click Add"], verdict: { outcome: "succeeded", confidence: 0.92, reason: "A dialog opened" } }] },
      { kind: "step", index: 1, thoughts: [], attempts: [{ actions: ["Write Jas into Name"] }] },
      { kind: "end", text: "The patient is added" },
    ])
  })

  it("tells attempts at a step apart, and actions of a chain not", () => {
    const items = story([
      line("action", "Write Jas", { stepIndex: 3 }), line("action", "Choose f", { stepIndex: 3 }),
      line("verdict", "", { stepIndex: 3, outcome: "failed", reason: "The field is empty" }),
      line("action", "Write Jas again", { stepIndex: 3 }),
    ])
    expect(items).toEqual([{
      kind: "step", index: 3, thoughts: [],
      attempts: [{ actions: ["Write Jas", "Choose f"], verdict: { outcome: "failed", confidence: undefined, reason: "The field is empty" } }, { actions: ["Write Jas again"] }],
    }])
  })

  it("replaces an undecided verdict by a later one", () => {
    const items = story([
      line("action", "Click Save", { stepIndex: 0 }),
      line("verdict", "No answer of the server yet", { stepIndex: 0, outcome: "undecided" }),
      line("verdict", "Saved", { stepIndex: 0, outcome: "succeeded" }),
    ])
    expect(items).toMatchObject([{ attempts: [{ actions: ["Click Save"], verdict: { outcome: "succeeded", reason: "Saved" } }] }])
  })

  it("says once what ends a task without an action", () => {
    const items = story([line("thought", "The patient is added", { stepIndex: 2 }), line("end", "The patient is added")])
    expect(items).toEqual([{ kind: "end", text: "The patient is added" }])
    expect(story([line("thought", "All is there", { stepIndex: 2 }), line("end", "The patient is added")])).toHaveLength(2)
  })

  it("takes entries without a step where they came", () => {
    const items = story([line("thought", "What is the name?"), line("question", "Which name?"), line("user", "Jas"), line("action", "Write Jas")])
    expect(items.map((item) => item.kind)).toEqual(["thought", "question", "user", "step"])
  })
})

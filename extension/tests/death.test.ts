import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { isEnded } from "../client/state"
import { type Behaviour, holdTime, World } from "./world"

type Serve = ConstructorParameters<typeof World>[1]

interface Task {
  behave: Behaviour
  serve: Serve
  /** What the page did; each at most once, and exactly once where the document stays. */
  deeds: string[]
  surely: boolean
  turns: number
  reply?: string
}

const script = (...answers: ReturnType<Serve>[]): Serve => (_body, turn) => answers[turn] ?? { status: "failed", thought: "beyond the script" }
const finish = { action: 'finish("Saved.")', thought: "all done", status: "executing" as const }

const tasks: Record<string, Task> = {
  "an action at a time": {
    behave: () => undefined,
    serve: script({ action: 'setValue("2", "Jas")' }, { action: 'click("1")' }, finish),
    deeds: ["setValue 2 Jas", "click 1"], surely: true, turns: 3,
  },
  "a chain": {
    behave: () => undefined,
    serve: script({
      action: 'setValue("2", "Jas")', actions: [
        { action: 'setValue("2", "Jas")', description: "", index: 0, canFail: false }, { action: 'press("Tab")', description: "", index: 1, canFail: true },
        { action: 'click("1")', description: "", index: 2, canFail: false },
      ],
    }, finish),
    deeds: ["setValue 2 Jas", "press  Tab", "click 1"], surely: true, turns: 2,
  },
  "a question": {
    behave: () => undefined,
    serve: script({ status: "needs_user_input", userQuestion: "Which name?", thought: "unclear" }, { action: 'setValue("2", "Ann")' }, finish),
    deeds: ["setValue 2 Ann"], surely: true, turns: 3, reply: "Ann",
  },
  "the whole page": {
    behave: () => undefined,
    serve: script({ status: "needs_full_dom", needsFullDomReason: "no such button" }, { action: 'click("1")' }, finish),
    deeds: ["click 1"], surely: true, turns: 3,
  },
  "a click that loads another page": {
    behave: (_a, tab, world) => world.navigate(tab, "http://a.test/next"),
    serve: script({ action: 'click("1")' }, finish),
    deeds: ["click 1"], surely: true, turns: 2,
  },
  "going to an address and back": {
    behave: () => undefined,
    serve: script({ action: 'navigate("http://a.test/other")' }, { action: "goBack()" }, finish),
    deeds: ["navigate http://a.test/other", "goBack"], surely: true, turns: 3,
  },
  "a dialog that is accepted": {
    behave: (a, tab, world) => {
      if (tab.doc.yes.length > 0) world.deeds.push({ action: "deleted", tab: tab.id })
      else if (a.target === "1") tab.doc.dialog = { kind: "confirm", message: "Delete?", initial: "" }
      if (tab.doc.yes.length > 0) tab.doc.dialog = null
    },
    serve: script({ action: 'click("1")' }, { action: 'click("dialog_accept")' }, finish),
    deeds: ["click 1", "click 1", "deleted"], surely: true, turns: 3,
  },
  "waiting": { behave: () => undefined, serve: script({ action: "wait(2)" }, finish), deeds: [], surely: true, turns: 2 },
}

async function play(task: Task, killAt: number, killAfter: boolean): Promise<World> {
  const world = new World(task.behave, task.serve)
  world.boot()
  world.panel({ panel: 1, do: "start", tabId: 1, query: "save the name" })
  await world.until(() => world.run() !== undefined)
  Object.assign(world, { killAt: killAt < 0 ? -1 : world.ops.length + killAt, killAfter })
  let repliedTo = -1
  await world.until(() => {
    const run = world.run()
    if (run?.phase === "question" && task.reply && repliedTo !== world.deaths) {
      repliedTo = world.deaths // whoever gets no answer to a message sends it again
      world.panel({ panel: 1, do: "reply", tabId: 1, text: task.reply })
    }
    return run !== undefined && isEnded(run.phase)
  })
  return world
}

beforeEach(holdTime)
afterEach(() => {
  vi.clearAllTimers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe.each(Object.entries(tasks))("%s", (_name, task) => {
  let calls = 0

  test("comes to its end", async () => {
    const world = await play(task, -1, false)
    calls = world.ops.length
    expect(world.run()).toMatchObject({ phase: "done", taskId: "t1", sessionId: "s1" })
    expect(world.deeds.map((d) => d.action)).toEqual(task.deeds)
    expect(world.bodies).toHaveLength(task.turns)
  })

  test.each(["before", "after"])("ends although the worker dies %s any call, and does nothing twice", async (when) => {
    for (let at = 0; at < calls; at++) {
      const world = await play(task, at, when === "after")
      const where = `killed ${when} call ${at}: ${world.ops[at]}`
      expect(world.run()?.phase, where).toBe("done")
      expect(world.deeds.map((d) => d.action), where).toEqual(task.deeds)
      expect(world.bodies, where).toHaveLength(task.turns)
      expect(new Set(world.bodies.map((b) => b.key)).size, where).toBe(task.turns)
    }
  })
})

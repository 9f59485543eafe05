import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { isEnded } from "../client/state"
import { type Behaviour, holdTime, settleMicrotasks, World } from "./world"

type Serve = ConstructorParameters<typeof World>[1]

interface Task {
  behave: Behaviour
  serve: Serve
  /** What the page does, however often the worker dies. */
  deeds: string[]
  turns: number
  reply?: string
}

const script = (...answers: ReturnType<Serve>[]): Serve => (_body, turn) => answers[turn] ?? { status: "failed", thought: "beyond the script" }
const finish = { action: 'finish("Saved.")', thought: "all done", status: "executing" as const }

const tasks: Record<string, Task> = {
  "an action at a time": {
    behave: () => undefined,
    serve: script({ action: 'setValue("2", "Jas")' }, { action: 'click("1")' }, finish),
    deeds: ["setValue 2 Jas", "click 1"], turns: 3,
  },
  "a chain": {
    behave: () => undefined,
    serve: script({
      action: 'setValue("2", "Jas")', actions: [
        { action: 'setValue("2", "Jas")', description: "", index: 0, canFail: false }, { action: 'press("Tab")', description: "", index: 1, canFail: true },
        { action: 'click("1")', description: "", index: 2, canFail: false },
      ],
    }, finish),
    deeds: ["setValue 2 Jas", "press  Tab", "click 1"], turns: 2,
  },
  "a question": {
    behave: () => undefined,
    serve: script({ status: "needs_user_input", userQuestion: "Which name?", thought: "unclear" }, { action: 'setValue("2", "Ann")' }, finish),
    deeds: ["setValue 2 Ann"], turns: 3, reply: "Ann",
  },
  "the whole page": {
    behave: () => undefined,
    serve: script({ status: "needs_full_dom", needsFullDomReason: "no such button" }, { action: 'click("1")' }, finish),
    deeds: ["click 1"], turns: 3,
  },
  "a click that loads another page": {
    behave: (_a, tab, world) => world.navigate(tab, "http://a.test/next"),
    serve: script({ action: 'click("1")' }, finish),
    deeds: ["click 1"], turns: 2,
  },
  "going to an address and back": {
    behave: () => undefined,
    serve: script({ action: 'navigate("http://a.test/other")' }, { action: "goBack()" }, finish),
    deeds: ["navigate http://a.test/other", "goBack"], turns: 3,
  },
  "a dialog that is accepted": {
    behave: (a, tab, world) => {
      if (tab.doc.yes.length > 0) world.deeds.push({ action: "deleted", tab: tab.id })
      else if (a.target === "1") tab.doc.dialog = { kind: "confirm", message: "Delete?", initial: "" }
      if (tab.doc.yes.length > 0) tab.doc.dialog = null
    },
    serve: script({ action: 'click("1")' }, { action: 'click("dialog_accept")' }, finish),
    deeds: ["click 1", "click 1", "deleted"], turns: 3,
  },
  "a page that asks before it is left": {
    behave: (_a, tab) => { tab.doc.stays = true },
    serve: script({ action: 'click("1")' }, { action: 'navigate("http://a.test/other")' }, { action: 'click("dialog_accept")' }, finish),
    deeds: ["click 1", "navigate http://a.test/other"], turns: 4,
  },
  "a page that is not left": {
    behave: (_a, tab) => { tab.doc.stays = true },
    serve: script({ action: 'click("1")' }, { action: "goBack()" }, { action: 'click("dialog_dismiss")' }, finish),
    deeds: ["click 1"], turns: 4,
  },
  "a tab that is opened": {
    behave: (a, tab, world) => {
      if (a.target === "1") world.tabs.set(2, { ...structuredClone(tab), id: 2, url: "http://a.test/new", openerTabId: 1 })
      else world.tabs.delete(2)
    },
    serve: script({ action: 'click("1")' }, { action: 'press("Enter")' }, finish),
    deeds: ["click 1", "press  Enter"], turns: 3,
  },
  "waiting": { behave: () => undefined, serve: script({ action: "wait(2)" }, finish), deeds: [], turns: 2 },
}

// play does a task; killAt is the call after which the worker dies, counted from the start of the task.
async function play(task: Task, killAt: number): Promise<World> {
  const world = new World(task.behave, task.serve)
  world.boot()
  await settleMicrotasks()
  world.begun = world.ops.length
  if (killAt >= 0) world.killAt = world.begun + killAt
  let asked = ""
  await world.until(() => {
    const run = world.run()
    const asks = `${run?.phase}, ${world.deaths}` // whoever gets no answer to a message sends it again
    if (asks !== asked && !run) world.panel({ panel: 1, do: "start", tabId: 1, query: "save the name" })
    if (asks !== asked && run?.phase === "question" && task.reply) world.panel({ panel: 1, do: "reply", tabId: 1, text: task.reply })
    asked = asks
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
  let calls: string[] = []

  test("comes to its end", async () => {
    const world = await play(task, -1)
    calls = world.ops.slice(world.begun)
    expect(world.run()).toMatchObject({ phase: "done", taskId: "t1", sessionId: "s1" })
    expect(world.deeds.map((d) => d.action)).toEqual(task.deeds)
    expect(world.bodies).toHaveLength(task.turns)
  })

  // A call that only reads leaves the world as the call before it did: to die after it is to
  // die after that one.
  test("ends although the worker dies after any call that changes something, and does nothing twice", async () => {
    const points = calls.map((name, at) => ({ name, at })).filter(({ name, at }) => at === 0 || !isRead(name))
    expect(points.length, "calls that change something").toBeGreaterThan(20)
    for (const { at } of points) {
      const world = await play(task, at)
      const where = `killed after call ${at}: ${world.ops[world.killAt]}`
      expect(world.run()?.phase, where).toBe("done")
      expect(world.deeds.map((d) => d.action), where).toEqual(task.deeds)
      expect(world.bodies, where).toHaveLength(task.turns)
      expect([...world.local.keys()].filter((k) => k.startsWith("task_")), where).toEqual(["task_1"])
      expect(new Set(world.bodies.map((b) => b.key)).size, where).toBe(task.turns)
    }
  })
})

const isRead = (call: string) => /^(get|getAll|contains|tabs?|inject|inject world|ask frames|platform|registered|page (quiet|network|openDialog|performed))$/.test(call)

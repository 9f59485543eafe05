import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { isEnded } from "../client/state"
import type { LogEntry, Phase } from "../protocol"
import { type Behaviour, holdTime, settleMicrotasks, World } from "./world"

type Serve = ConstructorParameters<typeof World>[1]

const script = (...answers: ReturnType<Serve>[]): Serve => (_body, turn) => answers[turn] ?? { status: "failed", thought: "beyond the script" }
const finish = { action: 'finish("Saved.")', thought: "all done" }
const click = { action: 'click("1")' }

beforeEach(holdTime)
afterEach(() => {
  vi.clearAllTimers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function begun(serve: Serve, behave: Behaviour = () => undefined, prepare: (w: World) => void = () => undefined): Promise<World> {
  const world = new World(behave, serve)
  prepare(world)
  world.boot()
  await settleMicrotasks()
  world.panel({ panel: 1, do: "start", tabId: 1, query: "save the name" })
  return world
}

const inPhase = (world: World, ...phases: Phase[]) => world.until(() => phases.includes(world.run()?.phase ?? "look"))
const ended = (world: World) => world.until(() => isEnded(world.run()?.phase ?? "look"))
const log = (world: World): LogEntry[] => JSON.parse(world.local.get(`log_${world.run()!.runId}`) ?? "[]") as LogEntry[]
const refuse = (status: number, code: string, retryAfter?: number) => ({ status, body: { success: false, code, message: `refused with ${code}`, ...(retryAfter !== undefined && { retryAfter }) } })
const bodies = (world: World) => world.bodies.map((b) => JSON.parse(b.body) as Record<string, unknown>)

describe("the server", () => {
  test.each([
    ["a conflict that passes", refuse(409, "RESOURCE_CONFLICT", 1)], ["too many requests", refuse(429, "RATE_LIMIT", 2)],
    ["one that is busy", refuse(503, "SERVER_BUSY", 1)], ["a fault", refuse(500, "INTERNAL_ERROR")],
  ])("%s is waited for, and the same request is sent again", async (_name, refusal) => {
    let refused = 0
    const world = await begun((_body, turn) => (turn === 0 && refused++ < 2 ? refusal : turn === 0 ? click : finish))
    await ended(world)
    expect(world.run()?.phase).toBe("done")
    expect(refused).toBe(3)
    expect(world.bodies).toHaveLength(2)
  })

  test("out of reach, it is tried again, and the user is told once", async () => {
    const world = await begun(script(finish), undefined, (w) => { w.offline = true })
    await inPhase(world, "trouble")
    expect(world.run()).toMatchObject({ failure: { code: "NO_ANSWER" } })
    await world.until(() => world.run()!.loop.attempt > 3)
    world.offline = false
    await ended(world)
    expect(log(world).filter((e) => e.kind === "notice")).toHaveLength(1)
    expect(world.run()?.phase).toBe("done")
  })

  test("without a login nothing is sent, and a login goes on", async () => {
    const world = await begun(script(finish), undefined, (w) => { w.local.delete("login") })
    await inPhase(world, "trouble")
    expect(world.run()).toMatchObject({ failure: { code: "UNAUTHORIZED" } })
    expect(world.bodies).toHaveLength(0)
    world.panel({ panel: 1, do: "login", email: "a@b.c", password: "secret-word" })
    await ended(world)
    expect(world.run()?.phase).toBe("done")
    expect(JSON.stringify([...world.local])).not.toContain("secret-word")
  })

  test("a token that is refused is forgotten, and a login asked for", async () => {
    const world = await begun(() => refuse(401, "UNAUTHORIZED"))
    await inPhase(world, "trouble")
    expect(world.run()).toMatchObject({ failure: { code: "UNAUTHORIZED" } })
    expect(world.local.has("login")).toBe(false)
  })

  test("a request it will never take ends the run with its code", async () => {
    const world = await begun(() => refuse(400, "VALIDATION_ERROR"))
    await ended(world)
    expect(world.run()).toMatchObject({ phase: "failed", failure: { code: "VALIDATION_ERROR" } })
  })

  test("a task that somebody holds goes on by itself, from a new look at the page", async () => {
    let held = true
    const world = await begun((_body, turn) => (turn === 0 ? click : held ? refuse(409, "TASK_PAUSED", 1) : finish))
    world.active = { taskId: "t1", query: "q", paused: { by: "eve" } }
    await inPhase(world, "held")
    expect(world.run()?.message).toBe("refused with TASK_PAUSED")
    await world.until(() => world.told.filter((p) => p.endsWith("/active")).length > 2)
    held = false
    world.active = { taskId: "t1", query: "q" }
    await ended(world)
    expect(world.run()?.phase).toBe("done")
  })

  test("a page it has already is named by its hash", async () => {
    const world = await begun(script({ ...click, domHash: "abc" }, finish))
    await ended(world)
    expect(bodies(world)[0]).toHaveProperty("interactiveTree")
    expect(bodies(world)[1]).toMatchObject({ domHash: "abc", lastActionStatus: "success" })
    expect(bodies(world)[1]).not.toHaveProperty("dom")
  })

  test("what a task has cost is in its record", async () => {
    const world = await begun(script(click, finish))
    await ended(world)
    await world.until(() => world.run()?.costUSD === "0.01")
  })
})

describe("the user", () => {
  test("stops at once: nothing more is begun, and the server is told", async () => {
    const world = await begun((_b, turn) => (turn === 0 ? click : { action: "wait(30)" }))
    await world.until(() => world.run()?.about?.text === "wait(30)")
    world.panel({ panel: 1, do: "stop", tabId: 1 })
    await ended(world)
    await world.until(() => world.told.includes("/api/task/t1/stop"))
    const deeds = world.deeds.length
    for (let i = 0; i < 50; i++) await vi.advanceTimersByTimeAsync(1000)
    expect(world.run()).toMatchObject({ phase: "stopped" })
    expect(world.deeds).toHaveLength(deeds)
    expect(world.run()?.loop).not.toHaveProperty("tell")
  })

  test("takes over and hands back: the server is told both, and the page is looked at anew", async () => {
    const world = await begun((_b, turn) => (turn === 0 ? { action: "wait(30)" } : finish))
    await world.until(() => world.run()?.about?.text === "wait(30)")
    world.panel({ panel: 1, do: "takeOver", tabId: 1 })
    await world.until(() => world.told.includes("/api/debug/tasks/t1/pause"))
    expect(world.run()?.phase).toBe("held")
    world.panel({ panel: 1, do: "handBack", tabId: 1 })
    await ended(world)
    expect(world.told).toContain("/api/debug/tasks/t1/resume")
    expect(world.run()?.phase).toBe("done")
  })

  test("begins a second task in the session of the first, whose log is forgotten", async () => {
    const world = await begun(script(finish, finish))
    await ended(world)
    const first = world.run()!.runId
    world.panel({ panel: 1, do: "start", tabId: 1, query: "another" })
    await world.until(() => world.run()?.runId !== first && isEnded(world.run()!.phase))
    expect(bodies(world)[1]).toMatchObject({ query: "another", sessionId: "s1" })
    expect(bodies(world)[1]).not.toHaveProperty("taskId")
    expect([...world.local.keys()].filter((k) => k.includes(first))).toEqual([])
  })

  test("chooses a file, which is gone once it is used", async () => {
    const world = await begun(script({ action: 'upload("2", "report.pdf")' }, finish))
    await inPhase(world, "file")
    expect(world.run()?.message).toBe("report.pdf")
    world.panel({ panel: 1, do: "file", tabId: 1, name: "r.pdf", type: "application/pdf", data: "QUJD" })
    await ended(world)
    expect(world.deeds.map((d) => d.action)).toEqual(["upload 2 report.pdf"])
    expect(JSON.stringify([...world.local])).not.toContain("QUJD")
  })

  test("forgets a task: nothing of it is left", async () => {
    const world = await begun(script({ status: "needs_user_input", userQuestion: "Which?" }))
    await inPhase(world, "question")
    const { runId } = world.run()!
    world.panel({ panel: 1, do: "forget", tabId: 1 })
    await world.until(() => world.run() === undefined)
    expect([...world.local.keys()].filter((k) => k.includes(runId))).toEqual([])
    expect(world.told).toContain("/api/task/t1/stop")
  })
})

describe("sites and tabs", () => {
  test("a site that is not allowed is asked for, and the task goes on once it is", async () => {
    const world = await begun(script(click, finish), (_a, tab, w) => w.navigate(tab, "http://b.test/"))
    await inPhase(world, "permission")
    world.allowed.add("http://b.test/*")
    world.event("permissions.onAdded").fire({})
    await ended(world)
    expect(world.run()?.phase).toBe("done")
    expect(bodies(world)[1]).toMatchObject({ url: "http://b.test/", clientObservations: { didUrlChange: true } })
  })

  test("a page of the browser's is said to be one, and left by the user the task goes on", async () => {
    const world = await begun(script(finish), undefined, (w) => { w.tabs.get(1)!.url = "chrome://newtab/" })
    await inPhase(world, "trouble")
    expect(world.run()).toMatchObject({ failure: { code: "RESTRICTED_PAGE" } })
    world.tabs.get(1)!.url = "http://a.test/"
    world.event("tabs.onUpdated").fire(1, { url: "http://a.test/" })
    await ended(world)
    expect(world.run()?.phase).toBe("done")
  })

  test("from a page of the browser's the task can go to an address", async () => {
    const chain = ['click("1")', 'navigate("http://a.test/x")'].map((action, index) => ({ action, index, canFail: false, description: "" }))
    const world = await begun(script({ action: chain[0].action, actions: chain }, finish), (_a, tab) => { tab.url = "chrome://newtab/" })
    await ended(world)
    expect(world.run()?.phase).toBe("done")
    expect(world.deeds.map((d) => d.action)).toEqual(["click 1", "navigate http://a.test/x"])
  })

  test("a tab that is opened is followed, and closed the task goes back", async () => {
    const world = await begun(script(click, { action: 'press("Enter")' }, finish), (a, tab, w) => {
      if (a.name === "click") w.tabs.set(2, { ...structuredClone({ ...tab, doc: { ...tab.doc, acts: new Map() } }), id: 2, url: "http://a.test/new", openerTabId: 1 })
      else w.tabs.delete(2)
    })
    await ended(world)
    expect(world.deeds.map((d) => [d.action, d.tab])).toEqual([["click 1", 1], ["press  Enter", 2]])
    expect(world.run()).toMatchObject({ phase: "done", tabId: 1 })
    expect([...world.local.keys()].filter((k) => k.startsWith("task_"))).toEqual(["task_1"])
    expect(bodies(world)[1]).toMatchObject({ url: "http://a.test/new" })
    expect(JSON.stringify(bodies(world)[1].recentEvents)).toContain("new tab")
    expect(JSON.stringify(bodies(world)[2].recentEvents)).toContain("closed")
  })

  test("a task whose tab is closed has failed", async () => {
    const world = await begun(script({ status: "needs_user_input", userQuestion: "Which?" }))
    await inPhase(world, "question")
    world.tabs.delete(1)
    world.event("tabs.onRemoved").fire(1, {})
    await ended(world)
    expect(world.run()).toMatchObject({ phase: "failed", failure: { code: "TAB_GONE" } })
  })
})

describe("an old record", () => {
  const aged = async (active: World["active"]) => {
    const world = await begun(script({ status: "needs_user_input", userQuestion: "Which?" }, finish))
    await inPhase(world, "question")
    world.active = active
    await vi.advanceTimersByTimeAsync(31 * 60_000)
    world.panel({ panel: 1, do: "reply", tabId: 1, text: "Ann" })
    return world
  }

  test("goes on where the server still has the task at work", async () => {
    const world = await aged({ taskId: "t1", query: "q" })
    await ended(world)
    expect(world.run()?.phase).toBe("done")
  })

  test("is forgotten where the server has not", async () => {
    const world = await aged(null)
    await ended(world)
    expect(world.run()).toMatchObject({ phase: "failed", failure: { code: "TASK_NOT_FOUND" } })
  })

  test("that is lost is found again by the session, and goes on when the user says so", async () => {
    const world = new World(() => undefined, script(finish))
    world.local.set("session", JSON.stringify("s1"))
    world.boot()
    world.panel({ panel: 1, do: "wake", tabId: 1 })
    await inPhase(world, "held")
    expect(world.run()).toMatchObject({ taskId: "t1", query: "q" })
    world.panel({ panel: 1, do: "handBack", tabId: 1 })
    await ended(world)
    expect(bodies(world)[0]).toMatchObject({ taskId: "t1", sessionId: "s1" })
  })
})

describe("secrets", () => {
  test("what goes into a secret field is in no record, log or request once it is done", async () => {
    const kept: string[] = []
    const answers = script({ action: 'setValue("2", "hunter2")' }, click, finish)
    const serve: Serve = (body, turn) => {
      if (turn > 0) kept.push(JSON.stringify([...world.local, ...world.session]))
      return answers(body, turn)
    }
    const world: World = await begun(serve, undefined, (w) => {
      w.tabs.get(1)!.doc.nodes = [{ id: "2", role: "textbox", name: "Password", state: ["secret"] }, { id: "1", role: "button", name: "Log in" }]
    })
    await ended(world)
    expect(kept).toHaveLength(2)
    expect(kept.join()).not.toContain("hunter2")
    expect(world.deeds[0].action).toContain("hunter2")
    expect(world.bodies.map((b) => b.body).join()).not.toContain("hunter2")
    expect(log(world).map((e) => e.text)).toContain('setValue("2", "[secret]")')
  })
})

describe("a hold", () => {
  test("is this browser's alone where the account may not have it at the server", async () => {
    const world = await begun(script({ status: "needs_user_input", userQuestion: "Which?" }, finish), undefined, (w) => w.forbidden.add("/api/debug/tasks/t1/pause"))
    await inPhase(world, "question")
    world.panel({ panel: 1, do: "takeOver", tabId: 1 })
    await world.until(() => world.run()?.phase === "held" && world.run()!.message !== "")
    expect(log(world).at(-1)?.text).toContain("in this browser alone")
    world.panel({ panel: 1, do: "handBack", tabId: 1 })
    await inPhase(world, "question")
    await settleMicrotasks()
    expect(world.told.filter((path) => path.startsWith("/api/debug/"))).toEqual(["/api/debug/tasks/t1/pause"])
  })
})

describe("what is typed", () => {
  const one = (action: string, index: number) => ({ action, description: "", index, canFail: false })
  const chain = (...actions: string[]) => ({ action: actions[0], actions: actions.map(one) })
  const login = (w: World) => {
    w.tabs.get(1)!.doc.nodes = [{ id: "2", role: "textbox", name: "Password", state: ["secret"] }, { id: "3", role: "textbox", name: "Name" }, { id: "1", role: "button", name: "Log in" }]
  }
  const secret = 'hunter2 "x"'
  const typed = JSON.stringify(secret)

  test("is never on the disk where its field is secret or not known, at no write of the task", async () => {
    const serve = script(chain('setValue("3", "Ada")', `setValue("2", ${typed})`, `type(${typed})`), { action: `setValue("9", ${typed})` }, { action: `setValue("2", ${typed}` }, finish)
    const world = await begun(serve, undefined, login)
    await ended(world)
    expect(world.run()?.phase).toBe("done")
    expect(world.deeds.map((d) => d.action)).toEqual(["setValue 3 Ada", `setValue 2 ${secret}`, `type  ${secret}`, `setValue 9 ${secret}`])
    expect(world.written.length).toBeGreaterThan(20)
    expect(world.written.join()).not.toContain("hunter2")
    expect(world.written.join()).toContain("Ada")
    expect([...world.session.values()].join()).not.toContain("hunter2")
  })

  test("is asked for anew where the browser was started again", async () => {
    const forgets: Behaviour = (a, _tab, w) => { if (a.name === "click") w.session.clear() }
    const world = await begun(script(chain('click("1")', `setValue("2", ${typed})`), { action: `setValue("2", ${typed})` }, finish), forgets, login)
    await ended(world)
    expect(bodies(world)[1]).toMatchObject({ lastActionStatus: "failure", lastActionError: { code: "VALUE_LOST", action: 'setValue("2", "[secret]")' } })
    expect(world.deeds.map((d) => d.action)).toEqual(["click 1", `setValue 2 ${secret}`])
  })

  test("into a field that is known not to be secret is in the record, also by keys", async () => {
    const world = await begun(script(chain('click("3")', 'type("Ada")', 'press("Tab")', 'type("Eve")'), finish), undefined, login)
    await ended(world)
    expect(world.written.join()).toContain("Ada")
    expect(world.written.join()).not.toContain("Eve")
    expect(log(world).map((e) => e.text)).toEqual(expect.arrayContaining(['type("Ada")', 'type("[secret]")']))
  })
})

describe("a chosen file", () => {
  const file = { panel: 1, do: "file", tabId: 1, name: "a.txt", type: "text/plain", data: "aGVsbG8=" } as const
  test.each([[true], [false]])("is given to the page, and is on the disk only where memory has no room (%s)", async (room) => {
    const world = await begun(script({ action: 'upload("2", "a.txt")' }, finish))
    await inPhase(world, "file")
    world.full = !room
    world.panel(file)
    await ended(world)
    expect(world.run()?.phase).toBe("done")
    expect(world.files).toEqual(["a.txt"])
    expect(world.written.join().includes(file.data)).toBe(!room)
    expect([...world.local.keys(), ...world.session.keys()].filter((k) => k.startsWith("file_"))).toEqual([])
  })
})

describe("messages", () => {
  test("of pages command nothing", async () => {
    const world = await begun(script({ status: "needs_user_input", userQuestion: "Which?" }, finish))
    await inPhase(world, "question")
    world.event("runtime.onMessage").fire({ panel: 1, do: "reply", tabId: 1, text: "evil" }, { url: "http://a.test/", tab: { id: 1, url: "http://a.test/" } }, () => undefined)
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.run()?.phase).toBe("question")
  })

  test("what a page says while an action runs is in the next request", async () => {
    const world = await begun(script(click, finish), (_a, tab, w) => {
      w.event("runtime.onMessage").fire({ stepledgerSaid: { kind: "error", text: "Invalid email" } }, { url: tab.url, tab: { id: 1 } }, () => undefined)
    })
    await ended(world)
    expect(bodies(world)[1]).toMatchObject({ errors_detected: ["Invalid email"], hasErrors: true, recentEvents: [expect.stringContaining("Error: 'Invalid email'")] })
  })
})

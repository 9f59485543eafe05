import { describe, expect, test } from "vitest"

import type { Answer } from "../protocol"
import { type Doing, type Event, type Happening, type Run, effectOf, isEnded, newRun, next } from "../client/state"

const answer = (a: Partial<Answer>): Answer => ({
  taskId: "t", sessionId: "s", status: "executing", thought: "thinking", stepIndex: 0, hasOrgKnowledge: false, usage: { promptTokens: 1, completionTokens: 1 }, ...a,
})
const chain = (...list: [string, boolean][]) => answer({ actions: list.map(([action, canFail], index) => ({ action, canFail, index, description: "" })) })
const captured: Happening = { type: "captured", url: "http://a.test/", ids: { id: 7, frame: 0 }, key: "k", seen: { domHash: "", pageHash: "h", url: "", title: "" }, closed: [] }
const doing = (token: string, name: "click" | "setValue" | "wait" = "click"): Doing => ({
  token, action: { name, target: "1", text: "", to: "", seconds: 0 }, frameId: 0, printable: `${name}("1")`, at: 0,
  before: { url: "http://a.test/", documents: { 0: "d" }, choices: [], opened: [] },
})
const armed = (token: string): Happening => ({ type: "armed", doing: doing(token) })
const acted = (done = true): Happening => ({ type: "acted", result: done ? { done } : { done, error: { code: "ELEMENT_OCCLUDED", message: "covered" } } })
const settled: Happening = {
  type: "settled", observed: {
    report: { previousUrl: "http://a.test/", url: "http://a.test/", network: false, mutated: true, urlChanged: false, added: 1, removed: 0, dropdown: [], stabilization: 500, failed: [] },
  },
}

/** A run after events. */
function after(...events: Happening[]): Run {
  return events.reduce((run, e) => next(run, { ...e, at: 1000 } as Event).run, newRun(1, "r", "do it", 0))
}
const asked = (a: Answer): Happening[] => [captured, { type: "answered", answer: a }]

describe("a turn", () => {
  test("given a new run, when it is captured, asked, done and settled, then it is captured again with a report", () => {
    const steps: Happening[] = [...asked(answer({ action: 'click("1")' })), armed("x"), acted(), settled]
    const phases = steps.map((_, i) => after(...steps.slice(0, i + 1)).phase)
    expect(phases).toEqual(["ask", "act", "act", "settle", "look"])
    expect(after(...steps).loop.last).toMatchObject({ lastActionStatus: "success", domChanges: { addedCount: 1 } })
    expect(after(...steps)).toMatchObject({ taskId: "t", sessionId: "s", turns: 1 })
    expect(after(...steps).loop).not.toHaveProperty("plan")
  })

  test("given an action that found another element, when it is done, then its numbers are not given again", () => {
    const found: Happening = { type: "acted", result: { done: true, recovered: "12", ids: { id: 12, frame: 0 } } }
    const run = after(...asked(answer({ action: 'click("1")' })), armed("x"), found)
    expect(run.loop.ids).toEqual({ id: 12, frame: 0 })
    expect(run.loop.doing?.result).toEqual({ done: true, recovered: "12" })
    expect(after(...asked(answer({ action: 'click("1")' })), armed("x"), { ...found, result: { done: true, ids: { id: 3, frame: 1 } } } as Happening).loop.ids).toEqual({ id: 7, frame: 1 })
  })

  test.each([
    ['finish("Saved.")', "executing", "done", "Saved."], ['fail("No such name.")', "executing", "failed", "No such name."],
    [undefined, "completed", "done", "thinking"], [undefined, "failed", "failed", "thinking"],
  ] as const)("given %s with status %s, then the run is %s and says %s", (action, status, phase, message) => {
    expect(after(...asked(answer({ status, ...(action && { action }) })))).toMatchObject({ phase, message })
  })

  test("given frames that may not be read, then they are told in every phase until the page is read again", () => {
    const steps: Happening[] = [{ ...captured, closed: ["http://b.test/*"] } as Happening, { type: "answered", answer: answer({ action: 'click("1")' }) }, armed("x"), acted(), settled]
    steps.forEach((_, i) => expect(after(...steps.slice(0, i + 1)).closedFrames).toEqual(["http://b.test/*"]))
    expect(after(...steps, captured)).not.toHaveProperty("closedFrames")
    expect(next(after(...steps), { type: "stop", at: 5 }).run).not.toHaveProperty("closedFrames")
  })

  test("given a question, when the user replies, then the reply is the query of the next request", () => {
    const run = after(...asked(answer({ status: "needs_user_input", userQuestion: "Which?", missingInformation: ["name"] })))
    expect(run).toMatchObject({ phase: "question", message: "Which?", missing: ["name"] })
    const replied = next(run, { type: "reply", text: "Ann", at: 2 }).run
    expect(replied).toMatchObject({ phase: "look", query: "do it", loop: { says: "Ann" } })
    expect(replied).not.toHaveProperty("missing")
  })

  test("given needs_full_dom, then the whole page is captured, and asked for twice the run fails", () => {
    const full = answer({ status: "needs_full_dom", needsFullDomReason: "no button" })
    expect(after(...asked(full))).toMatchObject({ phase: "look", loop: { full: true } })
    expect(after(...asked(full), ...asked(full))).toMatchObject({ phase: "failed", failure: { code: "NEEDS_FULL_DOM" } })
  })

  test("given a page sent by its hash, when the server does not know it, then the page itself is sent and not the whole one", () => {
    const run = after({ ...captured, byHash: true } as Happening, { type: "answered", answer: answer({ status: "needs_full_dom" }) })
    expect(run).toMatchObject({ phase: "look", loop: { full: false } })
    expect(run.loop).not.toHaveProperty("seen")
  })
})

describe("a chain", () => {
  test("given a failure of one that may not fail, then the rest is left, and the report says how far it came", () => {
    const run = after(...asked(chain(['click("1")', false], ['click("1")', false], ['click("1")', false])), armed("a"), acted(), settled, armed("b"), acted(false), settled)
    expect(run.phase).toBe("look")
    expect(run.loop.last).toMatchObject({
      lastActionStatus: "failure", lastActionError: { code: "ELEMENT_OCCLUDED", elementId: "1" }, lastExecutedActionIndex: 0,
      chainPartialState: { executedActions: ['click("1")'], totalActionsInChain: 3 },
    })
  })

  test("given a failure of one that may fail, then it goes on as if it had not", () => {
    const run = after(...asked(chain(['click("1")', true], ['click("1")', false])), armed("a"), acted(false), settled)
    expect(run).toMatchObject({ phase: "act", loop: { plan: { at: 1 } } })
    const done = [armed("b"), acted(), settled].reduce((r, e) => next(r, { ...e, at: 1 } as Event).run, run)
    expect(done.loop.last).toMatchObject({ lastActionStatus: "success", lastExecutedActionIndex: 1, chainPartialState: { executedActions: ['click("1")'] } })
  })

  test("given an action that may or may not have happened, then nothing follows it", () => {
    const run = after(...asked(chain(['click("1")', false], ['click("1")', false])), armed("a"), { type: "unsure" }, { type: "found", performed: { state: "elsewhere" } }, settled)
    expect(run.phase).toBe("look")
    expect(run.loop.last).toMatchObject({ lastActionStatus: "pending", lastExecutedActionIndex: 0, chainPartialState: { executedActions: [] } })
  })

  test("given a page that never begins an action, then it counts as pending after some tries", () => {
    const found: Happening = { type: "found", performed: { state: "unknown" } }
    const tries = Array.from({ length: 5 }, () => [{ type: "unsure" } as Happening, found]).flat()
    const begin = [...asked(answer({ action: 'click("1")' })), armed("a")]
    expect(after(...begin, ...tries)).toMatchObject({ phase: "act", loop: { doing: { token: "a", tries: 5 } } })
    expect(after(...begin, ...tries, { type: "unsure" }, found)).toMatchObject({ phase: "settle", loop: { doing: { pending: true } } })
  })

  test("given an action that is none, then it fails and is not begun", () => {
    const run = after(...asked(answer({ action: "jump()" })), { type: "unarmed", failure: { code: "INVALID_ACTION", message: "none" }, printable: "jump()", elementId: "", url: "" })
    expect(run.loop.last).toMatchObject({ lastActionStatus: "failure", lastActionError: { code: "INVALID_ACTION", action: "jump()" } })
  })
})

describe("the user", () => {
  const acting = [...asked(answer({ action: 'click("1")' })), armed("a")]

  test("given anything under way, when the user stops, then the run has ended and the server is to be told", () => {
    for (let n = 0; n <= acting.length; n++) {
      const step = next(after(...acting.slice(0, n)), { type: "stop", at: 5 })
      expect(step.run.phase).toBe("stopped")
      expect(step.run.loop.tell).toBe(n >= 2 ? "stop" : undefined)
      expect(step.effect).toEqual(n >= 2 ? { do: "end" } : "none")
    }
  })

  test("given an action under way, when a person takes over, then it counts as pending and is not done again", () => {
    const held = next(after(...acting), { type: "takeOver", at: 5 }).run
    expect(held).toMatchObject({ phase: "held", loop: { tell: "pause", own: true, last: { lastActionStatus: "pending" } } })
    expect(held.loop.last?.clientObservations).toEqual({})
    expect(next(held, { type: "handBack", at: 6 })).toMatchObject({ run: { phase: "look", loop: { tell: "resume" } }, effect: { do: "capture" } })
  })

  test("given a hold that the server does not take, then it is one of this browser, says so, and is not ended there", () => {
    const held = next(after(...acting), { type: "takeOver", at: 5 }).run
    const told = next(held, { type: "told", refused: true, at: 6 })
    expect(told.run).toMatchObject({ phase: "held", message: expect.stringContaining("in this browser alone"), loop: { own: true } })
    expect(told.log).toHaveLength(1)
    expect(told.run.loop).not.toHaveProperty("tell")
    const back = next(told.run, { type: "handBack", at: 7 }).run
    expect(back).toMatchObject({ phase: "look", message: "" })
    expect(back.loop).not.toHaveProperty("tell")
  })

  test("given a request under way, when a person takes over and hands back, then it is answered but not followed", () => {
    const held = next(after(captured), { type: "takeOver", at: 5 }).run
    const back = next(held, { type: "handBack", at: 6 }).run
    expect(back.phase).toBe("ask")
    const run = next(back, { type: "answered", answer: answer({ action: 'click("1")' }), at: 7 }).run
    expect(run).toMatchObject({ phase: "look", loop: { last: { lastActionStatus: "failure", lastActionError: { code: "TAKEN_OVER" } } } })
  })

  test("given an open question, when a person takes over and hands back, then it is still open", () => {
    const question = after(...asked(answer({ status: "needs_user_input", userQuestion: "Which?" })))
    const back = next(next(question, { type: "takeOver", at: 5 }).run, { type: "handBack", at: 6 }).run
    expect(back).toMatchObject({ phase: "question", message: "Which?" })
  })
})

describe("misfortune", () => {
  test("given trouble again and again, then each wait is longer, up to half a minute", () => {
    const waits: number[] = []
    let run = after(captured)
    for (let i = 0; i < 8; i++) {
      run = next(run, { type: "trouble", failure: { code: "NO_ANSWER", message: "gone" }, at: 0 }).run
      waits.push(run.loop.due!)
      run = next(run, { type: "due", at: 0 }).run
      expect(run.phase).toBe("ask")
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000])
  })

  test("given a task that somebody holds, then it waits, and looks anew with another key", () => {
    const run = next(after(...asked(answer({ action: 'click("1")' })), armed("a"), acted(), settled, captured), { type: "paused", message: "held by Eve", retryAfter: 3000, at: 0 }).run
    expect(run).toMatchObject({ phase: "held", message: "held by Eve", loop: { key: "", due: 3000 } })
    expect(effectOf(run)).toEqual({ do: "rest", until: 3000 })
    expect(next(run, { type: "free", at: 1 }).run.phase).toBe("look")
  })

  test("given the tab of a task is closed, then it goes back to the tab that opened it, or has failed", () => {
    const opened: Happening = { ...settled, observed: { ...(settled as { observed: object }).observed, opened: 9 } } as Happening
    const there = after(...asked(answer({ action: 'click("1")' })), armed("a"), acted(), opened)
    expect(there).toMatchObject({ tabId: 9, phase: "look", loop: { from: [1] } })
    const back = next(there, { type: "gone", at: 1 }).run
    expect(back).toMatchObject({ tabId: 1, phase: "look", loop: { from: [] } })
    expect(next(back, { type: "gone", at: 1 }).run).toMatchObject({ phase: "failed", failure: { code: "TAB_GONE" } })
  })

  test("given a login is needed, then only a login or the user goes on", () => {
    const run = next(after(captured), { type: "trouble", final: true, failure: { code: "UNAUTHORIZED", message: "Log in" }, at: 0 }).run
    expect(effectOf(run)).toBe("none")
    expect(next(run, { type: "due", at: 0 }).run.phase).toBe("trouble")
    expect(next(run, { type: "loggedIn", at: 0 }).run.phase).toBe("ask")
  })

  test("what comes of an effect of another phase changes nothing", () => {
    const run = after(...asked(answer({ action: 'click("1")' })))
    for (const stale of [captured, acted(), settled, ...asked(answer({ action: "goBack()" }))]) {
      expect(next(run, { ...stale, at: 1 } as Event)).toMatchObject({ run: { phase: "act", loop: { plan: { at: 0 } } } })
      expect(next(run, { ...stale, at: 1 } as Event).effect).toBeUndefined()
    }
  })
})

describe("death", () => {
  // A small generator of pseudo-random numbers, so that a failure can be seen again.
  const random = (seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  test("from any state, whatever happens, an action that may have happened is never begun anew", () => {
    for (let seed = 1; seed <= 150; seed++) walk(random(seed), seed)
  })

  // walk plays the world: effects are cut off at any point, before or after they had their
  // effect on the page, and the machine begins anew from what was stored.
  function walk(chance: () => number, seed: number): void {
    const pick = <T>(list: T[]): T => list[Math.floor(chance() * list.length)]
    let run = newRun(1, "r", "do it", 0)
    let drawn = 0
    const begun = new Set<string>() // tokens that reached the page
    let page = "d"
    const item = new Map<string, string>() // token -> which action of which answer it is for
    const done = new Map<string, string[]>()
    for (let n = 0; n < 60 && !isEnded(run.phase); n++) {
      const effect = effectOf(run)
      const store = (e: Happening) => { run = JSON.parse(JSON.stringify(next(run, { ...e, at: n } as Event).run)) as Run }
      const dies = chance() < 0.3
      switch (effect === "none" ? "none" : effect.do) {
        case "capture": if (!dies) store(captured); break
        case "send": if (!dies) store({ type: "answered", answer: chain(...Array.from({ length: 1 + Math.floor(chance() * 3) }, (): [string, boolean] => ['click("1")', chance() < 0.3])) }); break
        case "begin":
          if (!dies) {
            const token = `t${++drawn}`
            item.set(token, `${run.turns}/${run.loop.plan!.at}`)
            store({ type: "armed", doing: { ...doing(token), before: { ...doing(token).before, documents: { 0: page } } } })
          }
          break
        case "perform": {
          const { token } = run.loop.doing!
          const reached = !dies || chance() < 0.5
          if (reached && !begun.has(token)) {
            begun.add(token)
            done.set(item.get(token)!, [...(done.get(item.get(token)!) ?? []), token])
            if (chance() < 0.2) page = `document ${n}`
          }
          if (!dies) store(pick([acted(), acted(false), { type: "unsure" }]))
          break
        }
        case "inquire": {
          const { token, before } = run.loop.doing!
          if (dies) break
          if (before.documents[0] !== page) store({ type: "found", performed: { state: "elsewhere" } })
          else store({ type: "found", performed: begun.has(token) ? pick([{ state: "begun" }, { state: "done", result: { done: true } }]) : { state: "unknown" } })
          break
        }
        case "settle": if (!dies) store(settled); break
        case "rest": store({ type: "due" }); break
        default: store(pick<Happening>([{ type: "handBack" }, { type: "granted" }, { type: "retry" }]))
      }
      if (dies && !isEnded(run.phase)) store({ type: "resumed" })
      if (chance() < 0.05) store(pick<Happening>([{ type: "takeOver" }, { type: "trouble", failure: { code: "X", message: "x" } }, { type: "denied", origins: [], message: "" }]))
    }
    for (const [which, tokens] of done) expect(tokens, `seed ${seed}, action ${which}`).toHaveLength(1)
  }
})

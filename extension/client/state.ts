/**
 * The loop of a task as a pure state machine: next(record, event) gives the record to be
 * stored and what may be done once it is. What may be done follows from the stored record
 * alone, so a worker that begins anew goes on where another ended. Two promises rest on
 * it: a request is sent with the bytes and the key that were stored before, and an action
 * that may have happened is not begun again: after a death it is first asked for by its
 * token, and where the page cannot tell, it counts as pending and the server judges.
 *
 * It knows nothing of chrome, of the network and of time beyond what events carry.
 */

import type { ActResult, Action, Answer, Failure, LogEntry, Performed, Phase, TaskRecord } from "../protocol"
import { endsTask, onServer, parseAction, printable } from "./action"
import { t } from "../ui/texts"
import { type Expectation, expectationsOf } from "./sentinel"
import { bareReport, forRequest, joinReports, type LastAction, type Report } from "./report"

/** One action of an answer, as it may be printed where what it types is held elsewhere. */
export interface Item { text: string, canFail: boolean, held?: true }

/** An answer that is being followed. */
export interface Plan { items: Item[], at: number, lastIndex: number, executed: string[], report?: Report }

/** What was there before an action began, to tell what became of it. */
export interface Before {
  /** The tab's address, "" where it may not be seen. */
  url: string
  /** Names of the documents of the roots by their frames. */
  documents: Record<string, string>
  /** What open menus offered. */
  choices: string[]
  /** Tabs that this tab had opened. */
  opened: number[]
}

/** The action under way. It is stored before it is begun, with the token it is begun under. */
export interface Doing {
  token: string
  action: Action
  /** Of the element; 0 is the page itself. */
  frameId: number
  expect?: { role: string, name: string }
  /** What it types is not in the record, but held by its place in the plan. */
  held?: number
  /** What the panel, the log and the server see of it. */
  printable: string
  before: Before
  /** Milliseconds since 1970. */
  at: number
  /** Nobody knows whether it was begun: the worker ended, or the frame went silent. */
  doubt?: boolean
  /** Nobody will know any more. */
  pending?: boolean
  /** How often it was found not to have been begun. */
  tries?: number
  result?: ActResult
}

/** A dialog that the page has open, and the action it is the answer to. */
export interface OpenDialog { kind: string, message: string, initial: string, text?: string, opener?: Action, frameId?: number }

/** The loop's own part of the record. */
export interface Loop {
  /** Counts the states that allow something new to be done: a result of another is of no interest. */
  seq: number
  /** What the user said last; the query of a request. */
  says: string
  /** The server wants the whole document. */
  full: boolean
  /** The Idempotency-Key of the stored body, or of the first request of a task. */
  key: string
  /** Failures in a row. */
  attempt: number
  plan?: Plan
  doing?: Doing
  last?: LastAction
  /** The answer to the stored body is not followed: a person has had the page since. */
  drop?: boolean
  /** When something that waits is tried again. */
  due?: number
  /** Where trouble, permission and held lead back to. */
  back?: Phase
  /** Held by the user of this browser, and not at the server. */
  own?: boolean
  /** The server did not take that hold. */
  alone?: boolean
  /** What the server has yet to be told. */
  tell?: "stop" | "pause" | "resume"
  /** Last numbers given to an element and a frame: none is given twice. */
  ids: { id: number, frame: number }
  dialog?: OpenDialog
  /** What the client itself has to say of the page, as recent events. */
  events: string[]
  /** Tabs the task came from, the newest last. */
  from: number[]
  /** The answer's hash of the page it is about, and the page's own then. */
  seen?: Known
  /** The body has a hash in place of the page. */
  byHash?: boolean
  /** Hash of the picture sent last. */
  shot?: string
  /** What the server expects of the action. */
  expected?: Expectation[]
  /** A question that stays open while a person has the page. */
  open?: { message: string, missing?: string[] }
}

/** A page the server knows: by what hash, and what it was like. */
export interface Known { domHash: string, pageHash: string, url: string, title: string }

/** A record with the loop's part known. */
export interface Run extends TaskRecord { loop: Loop }

/** What may be done once the record is stored. */
export type Effect =
  | { do: "capture" | "send" | "begin" | "inquire" | "perform" | "settle" | "end" }
  | { do: "rest", until: number }

/** What was observed of an action once the page was stable. */
export interface Observed {
  report: Omit<Report, "status" | "error" | "recovered" | "actualState">
  /** A tab that the action opened. */
  opened?: number
  dialog?: OpenDialog
}

/** What a capture leads to. */
export interface Captured {
  url: string
  ids: { id: number, frame: number }
  key: string
  seen: Known
  byHash?: boolean
  shot?: string
  /** Origins of frames that may not be read. */
  closed: string[]
}

/** What happens to a run. `at` is when, in milliseconds since 1970. */
export type Happening =
  | { type: "resumed" | "due" | "stop" | "takeOver" | "handBack" | "retry" | "granted" | "chosen" | "loggedIn" | "gone" | "unsure" | "free" }
  | { type: "told", refused?: boolean }
  | ({ type: "captured" } & Captured)
  | { type: "denied", origins: string[], message: string }
  | { type: "restricted", message: string }
  | { type: "trouble", failure: Failure, retryAfter?: number, final?: boolean }
  | { type: "answered", answer: Answer, held?: number[] }
  | { type: "paused", message: string, retryAfter?: number }
  | { type: "refused", failure: Failure }
  | { type: "stopped", message: string }
  | { type: "armed", doing: Doing }
  | { type: "unarmed", failure: Failure, printable: string, elementId: string, url: string }
  | { type: "skipped", printable: string }
  | { type: "lost" }
  | { type: "file", name: string }
  | { type: "acted", result: ActResult }
  | { type: "found", performed: Performed | { state: "elsewhere" } }
  | { type: "settled", observed: Observed }
  | { type: "reply", text: string }
  | { type: "moved", tabId: number }
  | { type: "recovered", task?: { taskId: string, query: string } }
  | { type: "cost", costUSD: string }
export type Event = Happening & { at: number }

/** The state after an event. Without effect, whatever is under way goes on. */
export interface Step { run: Run, log: LogEntry[], effect?: Effect | "none" }

/** Phases in which nothing will happen any more. */
export const isEnded = (p: Phase): boolean => p === "done" || p === "failed" || p === "stopped"

/** Milliseconds after which a record is forgotten. */
export const forgottenAfter = 30 * 60_000

/** Asks of one task; a server that does not end it by then never will. */
const mostTurns = 200
const longestBackoff = 30_000
const mostTries = 5

/** A run at its beginning. */
export function newRun(tabId: number, runId: string, query: string, at: number, sessionId = "", url = ""): Run {
  return {
    taskId: "", sessionId, url, timestamp: at, tabId, runId, query, phase: "look", message: "", turns: 0,
    loop: { seq: 0, says: query, full: false, key: "", attempt: 0, ids: { id: 0, frame: 0 }, events: [], from: [] },
  }
}

/** What a stored record allows; after a death, only once "resumed" was stored. */
export function effectOf(run: Run): Effect | "none" {
  const { loop } = run
  switch (run.phase) {
    case "look": return { do: "capture" }
    case "ask": return { do: "send" }
    case "act": return { do: !loop.doing ? "begin" : loop.doing.doubt ? "inquire" : "perform" }
    case "settle": return { do: "settle" }
    case "trouble": return loop.due === undefined ? "none" : { do: "rest", until: loop.due }
    case "held": return loop.due === undefined || loop.own ? tellOr(loop) : { do: "rest", until: loop.due }
    case "done": case "failed": case "stopped": return tellOr(loop)
  }
  return "none"
}

const tellOr = (loop: Loop): Effect | "none" => (loop.tell ? { do: "end" } : "none")

/** The machine. It does not change the run it is given. */
export function next(before: Run, event: Event): Step {
  const run = structuredClone(before)
  run.timestamp = event.at
  const log: LogEntry[] = []
  const changes = new Machine(run, event.at, log).take(event)
  if (!changes) return { run, log }
  run.loop.seq++
  return { run, log, effect: effectOf(run) }
}

// Machine applies one event to a copy of the record. Each method says whether what is
// under way is replaced by what the new state allows.
class Machine {
  constructor(private run: Run, private at: number, private log: LogEntry[]) {}

  take(e: Event): boolean {
    switch (e.type) {
      case "stop": return this.stop()
      case "takeOver": return this.takeOver()
      case "handBack": return this.handBack()
      case "retry": return this.retry()
      case "resumed": return this.resumed()
      case "reply": return this.reply(e.text)
      case "moved": return this.moved(e.tabId)
      case "gone": return this.gone()
      case "told": return this.told(e.refused === true)
      case "cost": this.run.costUSD = e.costUSD; return false
      case "due": case "granted": case "chosen": case "loggedIn": case "free": return this.goOn(e.type)
      case "recovered": return this.recovered(e.task)
      case "trouble": return this.trouble(e.failure, e.retryAfter, e.final)
      case "denied": return this.wait("permission", e.message, { origins: e.origins })
      case "restricted": return this.restricted(e.message)
    }
    return this.step(e)
  }

  // step takes what comes of an effect; in another phase it is stale.
  private step(e: Event): boolean {
    switch (this.run.phase) {
      case "look": return e.type === "captured" && this.captured(e)
      case "ask": return this.asked(e)
      case "act": return this.acting(e)
      case "settle": return e.type === "settled" && this.settled(e.observed)
    }
    return false
  }

  private say(kind: LogEntry["kind"], text: string, more: Partial<LogEntry> = {}): void {
    if (text) this.log.push({ at: this.at, kind, text, ...more })
  }

  private go(phase: Phase, message = ""): true {
    const { run } = this
    Object.assign(run, { phase, message })
    delete run.failure
    delete run.origins
    delete run.missing
    if (phase !== "act" && phase !== "settle") delete run.about
    delete run.loop.due
    delete run.loop.back
    delete run.loop.own
    delete run.loop.alone
    return true
  }

  // wait leaves the phase for one that ends by an event from outside, or when it is due.
  private wait(phase: Phase, message: string, more: { failure?: Failure, origins?: string[], due?: number } = {}): boolean {
    const { run } = this
    if (isEnded(run.phase) || run.phase === "question") return false
    const back = run.phase === "look" || run.phase === "ask" || run.phase === "act" || run.phase === "settle" ? run.phase : run.loop.back ?? "look"
    const told = run.phase === phase && run.message === message
    this.go(phase, message)
    run.loop.back = back
    if (more.due !== undefined) run.loop.due = more.due
    if (more.origins) run.origins = more.origins
    if (more.failure) run.failure = more.failure
    if (!told && run.loop.attempt <= 1) this.say("notice", message)
    return true
  }

  private trouble(failure: Failure, retryAfter?: number, final = false): boolean {
    const { run } = this
    run.loop.attempt++
    if (final) return this.wait("trouble", failure.message, { failure })
    const backoff = Math.min(1000 * 2 ** (run.loop.attempt - 1), longestBackoff)
    return this.wait("trouble", failure.message, { failure, due: this.at + Math.max(retryAfter ?? 0, backoff) })
  }

  private restricted(message: string): boolean {
    return this.wait("trouble", message, { failure: { code: "RESTRICTED_PAGE", message } })
  }

  private fail(failure: Failure): true {
    this.say("end", failure.message)
    this.go("failed", failure.message)
    this.run.failure = failure
    return this.finish()
  }

  // finish drops what a run that has ended needs no longer.
  private finish(): true {
    const { loop } = this.run
    delete loop.plan
    delete loop.doing
    delete loop.dialog
    delete loop.last
    delete this.run.about
    delete this.run.closedFrames
    loop.events = []
    return true
  }

  // After a death nobody knows whether an action that was to begin has begun.
  private resumed(): boolean {
    const { run } = this
    if (run.phase === "act" && run.loop.doing) run.loop.doing.doubt = true
    return true
  }

  private goOn(why: Event["type"]): boolean {
    const { run } = this
    const { back } = run.loop
    const fits = why === "due" ? run.phase === "trouble" && run.loop.due !== undefined : why === "free" ? run.phase === "held" && !run.loop.own
      : why === "granted" ? run.phase === "permission" : why === "chosen" ? run.phase === "file"
      : run.phase === "trouble" && run.failure?.code === "UNAUTHORIZED"
    if (!fits) return false
    if (why === "loggedIn") run.loop.attempt = 0
    // What is under way was stored before the wait; whether it was begun is in doubt.
    if (back === "act" && run.loop.doing) run.loop.doing.doubt = true
    return this.go(back ?? "look")
  }

  private retry(): boolean {
    const { run } = this
    run.loop.attempt = 0
    if (run.phase === "stopped" && run.taskId) {
      run.loop.tell = "resume"
      return this.go("look")
    }
    if (run.phase !== "trouble" && run.phase !== "permission" && run.phase !== "file") return false
    if (run.loop.doing) run.loop.doing.doubt = true
    return this.go(run.loop.back ?? "look")
  }

  private reply(text: string): boolean {
    const { run } = this
    if (run.phase !== "question") return false
    run.loop.says = text
    this.say("user", text)
    return this.go("look")
  }

  private stop(): boolean {
    const { run } = this
    if (isEnded(run.phase)) return false
    if (run.taskId) run.loop.tell = "stop"
    this.say("end", t("worker.stopped"))
    this.finish()
    return this.go("stopped")
  }

  private takeOver(): boolean {
    const { run } = this
    if (isEnded(run.phase) || run.loop.own) return false
    if (run.phase === "question") run.loop.open = { message: run.message, ...(run.missing && { missing: run.missing }) }
    const asked = run.phase === "ask" || run.loop.back === "ask"
    this.abandon()
    if (run.taskId) run.loop.tell = "pause"
    this.go("held")
    run.loop.own = true
    run.loop.back = asked ? "ask" : "look"
    return true
  }

  private handBack(): boolean {
    const { run } = this
    if (run.phase !== "held") return false
    const asked = run.loop.back === "ask"
    if (asked) run.loop.drop = true // its answer is about a page that a person has had since
    if (run.taskId && run.loop.own && !run.loop.alone) run.loop.tell = "resume"
    const { open } = run.loop
    if (!open) return this.go(asked ? "ask" : "look")
    this.go("question", open.message)
    if (open.missing) run.missing = open.missing
    delete run.loop.open
    return true
  }

  // abandon ends the plan where it is, because a person takes the page.
  private abandon(): void {
    const { plan, doing } = this.run.loop
    if (!plan) return
    const known = doing?.result
    if (doing) {
      this.itemDone(bareReport(known ? (known.done ? "success" : "failure") : "pending", doing.before.url), doing.printable)
    } else if (plan.at === 0) {
      const message = "a person has taken over before it was done"
      plan.report = bareReport("failure", "", { code: "TAKEN_OVER", message, action: "", elementId: "" })
    }
    this.endPlan()
  }

  // told: a hold that the server does not take is one of this browser alone.
  private told(refused: boolean): boolean {
    const { run } = this
    const isHold = run.loop.tell === "pause" && run.loop.own === true
    delete run.loop.tell
    if (!refused || !isHold) return false
    run.loop.alone = true
    run.message = t("worker.held.here")
    this.say("notice", run.message)
    return false
  }

  private moved(tabId: number): boolean {
    this.run.tabId = tabId
    return true
  }

  // gone: the tab was closed. Where another tab opened it, the task goes back there.
  private gone(): boolean {
    const { run } = this
    if (isEnded(run.phase)) return false
    const opener = run.loop.from.pop()
    if (opener === undefined) return this.fail({ code: "TAB_GONE", message: t("failure.TAB_GONE") })
    this.note("the tab was closed; back on the tab that had opened it", t("worker.tabClosed"))
    const { plan, doing } = run.loop
    if (plan && doing) {
      const done = doing.result
      this.itemDone({ ...bareReport(done ? (done.done ? "success" : "failure") : "pending", doing.before.url), urlChanged: true }, doing.printable)
      this.endPlan()
    } else if (plan) {
      plan.report = joinReports(plan.report, bareReport("failure", run.url, { code: "TAB_GONE", message: "the tab was closed", action: "", elementId: "" }))
      this.endPlan()
    }
    run.tabId = opener
    return run.phase === "question" || run.phase === "ask" || run.loop.own ? true : this.go("look")
  }

  // note tells the server of what happened, and the user.
  private note(event: string, text: string): void {
    this.run.loop.events = [...this.run.loop.events, event].slice(-5)
    this.say("notice", text)
  }

  private recovered(task?: { taskId: string, query: string }): boolean {
    const { run } = this
    if (!task) return this.fail({ code: "TASK_NOT_FOUND", message: t("failure.TASK_NOT_FOUND") })
    run.taskId = task.taskId
    run.query = run.query || task.query
    return this.go("look")
  }

  private captured(e: Captured): boolean {
    const { run } = this
    run.url = e.url
    run.loop.ids = e.ids
    run.loop.key = e.key
    run.loop.attempt = 0
    run.loop.seen = e.seen
    if (e.shot !== undefined) run.loop.shot = e.shot
    delete run.loop.byHash
    if (e.byHash) run.loop.byHash = true
    delete run.closedFrames
    if (e.closed.length > 0) run.closedFrames = e.closed
    return this.go("ask")
  }

  private asked(e: Event): boolean {
    switch (e.type) {
      case "answered": return this.answered(e.answer, e.held ?? [])
      case "paused": {
        if (this.run.taskId) this.run.loop.key = "" // the key of a first request is that of its task
        this.wait("held", e.message, { due: this.at + (e.retryAfter ?? 5000) })
        this.run.loop.back = "look" // whoever holds it may change the page
        return true
      }
      case "refused": return this.fail(e.failure)
      case "lost": return this.go("look")
      case "stopped": {
        this.say("end", e.message)
        this.finish()
        return this.go("stopped", e.message)
      }
    }
    return false
  }

  private answered(a: Answer, held: number[]): boolean {
    const { run } = this
    const { loop } = run
    Object.assign(run, { taskId: a.taskId, sessionId: a.sessionId, turns: run.turns + 1 })
    Object.assign(loop, { attempt: 0, key: "", events: [] })
    const dropped = loop.drop
    delete loop.drop
    delete loop.last
    if (loop.seen) loop.seen.domHash = a.domHash ?? ""
    this.logAnswer(a)
    if (a.status === "needs_user_input") {
      loop.full = false
      this.say("question", a.userQuestion ?? a.thought)
      this.go("question", a.userQuestion ?? a.thought)
      if (a.missingInformation?.length) run.missing = a.missingInformation
      return true
    }
    if (a.status === "needs_full_dom") return this.needsFull(a.needsFullDomReason ?? "")
    loop.full = false
    if (this.ends(a)) return true
    if (run.turns >= mostTurns) return this.fail({ code: "ENDLESS", message: t("failure.ENDLESS") })
    const items = planOf(a).map((item, i): Item => (held.includes(i) ? { ...item, held: true } : item))
    loop.expected = expectationsOf(a.expectedOutcome, items.length === 1 ? parsed(items[0].text) : undefined)
    loop.plan = { items, at: 0, lastIndex: -1, executed: [] }
    if (!dropped) return this.go("act")
    this.abandon()
    return this.go("look")
  }

  private logAnswer(a: Answer): void {
    const v = a.verification
    if (v) this.say("verdict", v.reason, { outcome: v.outcome, confidence: v.confidence, reason: v.reason })
    this.say("thought", a.thought, { stepIndex: a.stepIndex })
  }

  private needsFull(reason: string): boolean {
    const { loop } = this.run
    if (loop.byHash) { // it does not know the page by its hash: it gets the page
      delete loop.seen
      return this.go("look")
    }
    if (loop.full) return this.fail({ code: "NEEDS_FULL_DOM", message: `${t("failure.NEEDS_FULL_DOM")} ${reason}`.trim() })
    loop.full = true
    delete loop.seen
    this.say("notice", t("worker.wholePage"))
    return this.go("look")
  }

  // ends ends the run where the answer ends the task.
  private ends(a: Answer): boolean {
    const last = planOf(a).at(-1)
    const ending = last && parsed(last.text)
    const end = ending && endsTask(ending) ? ending : undefined
    if (!end && a.status !== "completed" && a.status !== "failed") return false
    const failed = end ? end.name === "fail" : a.status === "failed"
    const message = end?.text || a.thought
    this.say("end", message)
    this.go(failed ? "failed" : "done", message)
    return this.finish()
  }

  private acting(e: Event): boolean {
    const { loop } = this.run
    const { doing } = loop
    switch (e.type) {
      case "armed": {
        if (doing) return false
        loop.doing = e.doing
        loop.attempt = 0
        this.run.about = { text: e.doing.printable, target: e.doing.action.target }
        return true
      }
      case "unarmed": return !doing && this.unarmed(e.failure, e.printable, e.elementId, e.url)
      case "skipped": return !doing && this.afterItem(bareReport("success", this.run.url), e.printable)
      case "file": return this.wait("file", e.name)
      case "unsure": {
        if (!doing) return false
        doing.doubt = true
        return true
      }
      case "acted": return doing !== undefined && this.acted(e.result)
      case "found": return doing !== undefined && this.found(e.performed)
    }
    return false
  }

  // unarmed is an action that cannot be begun: it fails like one that cannot be done.
  private unarmed(failure: Failure, text: string, elementId: string, url: string): boolean {
    this.say("action", text)
    return this.afterItem(bareReport("failure", url, { ...failure, action: text, elementId }), text)
  }

  private acted(result: ActResult): boolean {
    const doing = this.run.loop.doing!
    const { ids, ...rest } = result
    if (ids) this.run.loop.ids = { id: Math.max(ids.id, this.run.loop.ids.id), frame: Math.max(ids.frame, this.run.loop.ids.frame) }
    doing.result = rest
    delete doing.doubt
    this.say("action", doing.printable)
    return this.go("settle")
  }

  private found(p: Performed | { state: "elsewhere" }): boolean {
    const doing = this.run.loop.doing!
    if (p.state === "done") return this.acted(p.result)
    delete doing.doubt
    doing.tries = (doing.tries ?? 0) + 1
    if (p.state === "unknown" && doing.tries <= mostTries) return true // it was not begun: begun now, under the same token
    doing.pending = true
    this.say("action", doing.printable)
    return this.go("settle")
  }

  private settled(o: Observed): boolean {
    const { loop } = this.run
    const doing = loop.doing!
    const result = doing.result
    const report: Report = { ...o.report, status: doing.pending ? "pending" : result?.done ? "success" : "failure" }
    if (result?.error) report.error = { ...result.error, action: doing.printable, elementId: doing.action.target }
    if (result?.recovered) report.recovered = result.recovered
    if (result?.actualState !== undefined) report.actualState = result.actualState
    this.noteDialog(o.dialog, doing)
    if (o.opened !== undefined) {
      loop.from = [...loop.from, this.run.tabId]
      this.run.tabId = o.opened
      this.note("a new tab was opened and is followed", t("worker.newTab"))
    }
    return this.afterItem(report, doing.printable)
  }

  // noteDialog keeps the open dialog with the action that opened it. What holds a secret is
  // not kept for that: it cannot be done again.
  private noteDialog(open: OpenDialog | undefined, doing: Doing): void {
    const { loop } = this.run
    const { target, text } = doing.action
    if (target === "dialog_text" && loop.dialog && !open) {
      loop.dialog.text = text
    } else if (open) {
      const opener = target.startsWith("dialog_") ? loop.dialog?.opener : doing.action
      const secret = opener !== undefined && opener === doing.action && doing.held !== undefined
      loop.dialog = { ...open, ...(opener && !secret && { opener }) }
    } else {
      delete loop.dialog
    }
  }

  private afterItem(report: Report, text: string): boolean {
    const { plan } = this.run.loop
    if (!plan) return this.go("look")
    const more = this.itemDone(report, text)
    if (more && !this.run.loop.dialog) return this.go("act")
    this.endPlan()
    return this.go("look")
  }

  // itemDone counts the item and says whether another follows.
  private itemDone(report: Report, text: string): boolean {
    const plan = this.run.loop.plan!
    const item = plan.items[plan.at]
    const failed = report.status === "failure"
    const forgiven = failed && item.canFail
    const counted = forgiven ? { ...report, status: "success" as const } : report
    if (forgiven) delete counted.error
    plan.report = joinReports(plan.report, counted)
    if (!failed) plan.lastIndex = plan.at
    if (report.status === "success") plan.executed = [...plan.executed, text]
    plan.at++
    delete this.run.loop.doing
    return (report.status === "success" || forgiven) && plan.at < plan.items.length
  }

  private endPlan(): void {
    const { loop } = this.run
    const plan = loop.plan!
    if (plan.report) loop.last = forRequest(plan.report, { total: plan.items.length, lastIndex: plan.lastIndex, executed: plan.executed })
    delete loop.plan
    delete loop.doing
  }
}

function planOf(a: Answer): Item[] {
  if (a.actions?.length) return a.actions.map((i) => ({ text: i.action, canFail: i.canFail }))
  return a.action ? [{ text: a.action, canFail: false }] : []
}

function parsed(text: string) {
  try {
    return parseAction(text)
  } catch {
    return undefined
  }
}

/** The next action of the plan, or why there is none to begin. */
export function upcoming(run: Run): { text: string, action?: ReturnType<typeof parseAction>, nothing?: boolean, held?: number } {
  const { items, at } = run.loop.plan ?? { items: [], at: 0 }
  const { text = "", held } = items[at] ?? {}
  const action = parsed(text)
  return { text, ...(action && { action, nothing: onServer(action) || endsTask(action) }), ...(held && { held: at }) }
}

export { printable }

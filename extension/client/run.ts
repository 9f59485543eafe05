/**
 * Runs the machine: takes what happens, stores the new state, and only then does what that
 * state allows. One thing at a time is under way for a run; what comes of another is
 * dropped. Nothing here has to outlive the worker: a new one finds in the storage where
 * each run is.
 */

import type { Failure, FrameRequest, PanelReply, Phase } from "../protocol"
import { begin, inquire, observe, perform } from "./act"
import { look, type Outcome } from "./look"
import { PageError, tabOf } from "./page"
import { SaidLog } from "./said"
import { activeTask, ask, costOf, isHeld, tell } from "./server"
import { pause } from "./settle"
import { t } from "../ui/texts"
import { withhold } from "./withhold"
import { type Effect, type Event, type Happening, type Run, effectOf, forgottenAfter, isEnded, newRun, next } from "./state"
import { leave as leaveReal } from "./real"
import { type Beside, forgetRun, lastSession, loadBeside, loadRun, loadRuns, loadSettings, rememberSession, saveRun, tidy } from "./store"

const holdAsked = 5000 // milliseconds between two questions whether a task is still held

interface Live { abort: AbortController, effect: Effect }

/** The runs of one worker. */
export class Runner {
  readonly said = new SaidLog()
  private live = new Map<string, Live>()
  private missed = new Set<string>() // tabs and addresses that had no open task
  private tail: Promise<unknown> = Promise.resolve()

  /** Begins a task on a tab. */
  async start(tabId: number, query: string): Promise<PanelReply> {
    return this.inTurn(async () => {
      const known = await loadRun(tabId)
      if (known && !isEnded(known.phase)) return { error: { code: "TASK_OPEN", message: t("failure.TASK_OPEN") } }
      const recent = known && Date.now() - known.timestamp < forgottenAfter
      if (known) await forgetRun(known)
      const tab = await tabOf(tabId)
      if (!tab) return { error: { code: "TAB_GONE", message: t("failure.TAB_GONE") } }
      const run = newRun(tabId, crypto.randomUUID(), query, Date.now(), recent ? known.sessionId : "", tab.url ?? "")
      await saveRun(run, [{ at: run.timestamp, kind: "user", text: query }])
      this.launch(run, effectOf(run))
      return { ok: true }
    })
  }

  /** Takes an event from outside for the run of a tab. */
  async take(tabId: number, event: Happening, beside: Beside = {}): Promise<PanelReply> {
    return this.inTurn(async () => {
      const run = await loadRun(tabId)
      if (!run) return { error: { code: "TASK_NOT_FOUND", message: t("failure.TASK_NOT_FOUND") } }
      await this.apply(event.type === "stop" ? run : await this.renewed(run), event, beside)
      return { ok: true }
    })
  }

  /** Forgets the run of a tab, which is stopped first. */
  async forget(tabId: number): Promise<PanelReply> {
    await this.take(tabId, { type: "stop" })
    return this.inTurn(async () => {
      const run = await loadRun(tabId)
      if (!run) return { ok: true }
      if (run.loop.tell) await tell(run, run.loop.tell)
      this.halt(run.runId)
      await forgetRun(run)
      return { ok: true }
    })
  }

  /** Goes on with every run that is not under way: after the worker began, and whenever it is woken. */
  async resume(): Promise<void> {
    await this.inTurn(async () => {
      await tidy(Date.now())
      for (const run of await loadRuns()) {
        if (this.live.has(run.runId) || effectOf(run) === "none") continue
        await this.apply(await this.renewed(run), { type: "resumed" })
      }
    })
  }

  /** Whether any run has something to do. */
  async isOpen(): Promise<boolean> {
    return (await loadRuns()).some((run) => effectOf(run) !== "none" || run.phase === "permission")
  }

  /** Finds the open task of a tab whose record is lost, as far as a session is known. */
  async recover(tabId: number): Promise<void> {
    const [tab, sessionId] = [await tabOf(tabId), await lastSession()]
    if (!tab?.url || !sessionId || (await loadRun(tabId))) return
    const place = `${tabId} ${tab.url}`
    if (this.missed.has(place)) return // the panel asks again and again
    const found = await activeTask(sessionId, tab.url)
    if (found !== "no answer") this.missed.add(place)
    if (!found || found === "no answer") return
    await this.inTurn(async () => {
      const runs = await loadRuns()
      if (runs.some((r) => r.tabId === tabId || r.taskId === found.taskId)) return
      const run = newRun(tabId, crypto.randomUUID(), found.query, Date.now(), sessionId, tab.url)
      Object.assign(run, { taskId: found.taskId, phase: "held", message: t("worker.found", { query: found.query }) })
      run.loop.own = true // it goes on when the user says so
      await saveRun(run, [{ at: run.timestamp, kind: "notice", text: run.message }])
    })
  }

  // renewed asks the server whether a task is still at work whose record is too old to be
  // relied on.
  private async renewed(run: Run): Promise<Run> {
    if (isEnded(run.phase) || Date.now() - run.timestamp < forgottenAfter || !run.sessionId) return run
    const found = await activeTask(run.sessionId, run.url)
    if (found === "no answer") return run
    const same = found && (run.taskId === "" || found.taskId === run.taskId)
    await this.apply(run, same ? { type: "recovered", task: found } : { type: "recovered" })
    return (await loadRun(run.tabId)) ?? run
  }

  // inTurn keeps transitions apart: each reads, decides and stores.
  private inTurn<T>(job: () => Promise<T>): Promise<T> {
    const turn = this.tail.then(job)
    this.tail = turn.catch(() => undefined)
    return turn
  }

  private async apply(run: Run, event: Happening, beside: Beside = {}): Promise<void> {
    const step = next(run, { ...event, at: Date.now() } as Event)
    await saveRun(step.run, step.log, beside, run.tabId)
    if (handsOff(step.run.phase) && !handsOff(run.phase)) [...run.loop.from, run.tabId].forEach((id) => leave(id, isEnded(step.run.phase)))
    if (isEnded(step.run.phase) && !isEnded(run.phase)) await this.forgetSession()
    if (step.effect !== undefined) this.launch(step.run, step.effect)
  }

  // forgetSession keeps what finds a lost task no longer than a task is open.
  private async forgetSession(): Promise<void> {
    if ((await loadRuns()).every((r) => isEnded(r.phase))) await rememberSession("")
  }

  private halt(runId: string): void {
    this.live.get(runId)?.abort.abort()
    this.live.delete(runId)
  }

  private launch(run: Run, effect: Effect | "none"): void {
    this.halt(run.runId)
    if (effect === "none") return
    const live = { abort: new AbortController(), effect }
    this.live.set(run.runId, live)
    void this.run(run, effect, live.abort.signal)
      .catch((e: unknown): Outcome | undefined => ({ event: trouble(e, effect) }))
      .then(async (outcome) => {
        if (this.live.get(run.runId) !== live) return
        if (outcome) await this.concluded(run, live, outcome)
        else this.live.delete(run.runId)
      })
  }

  // concluded takes what came of an effect, unless something else has happened since.
  private concluded(run: Run, live: Live, { event, beside }: Outcome): Promise<void> {
    return this.inTurn(async () => {
      if (this.live.get(run.runId) !== live) return
      this.live.delete(run.runId)
      const now = await loadRun(run.tabId)
      if (now?.runId !== run.runId || now.loop.seq !== run.loop.seq) return
      await this.apply(now, event, beside)
      if (event.type === "answered") void this.count(run.tabId, run.runId, event.answer.taskId, event.answer.sessionId)
    })
  }

  private async count(tabId: number, runId: string, taskId: string, sessionId: string): Promise<void> {
    if (await this.isAtWork(tabId, runId)) await rememberSession(sessionId)
    const costUSD = await costOf(taskId)
    if (costUSD === undefined) return
    await this.inTurn(async () => {
      const run = await loadRun(tabId)
      if (run?.runId === runId && run.costUSD !== costUSD) await this.apply(run, { type: "cost", costUSD })
    })
  }

  private async isAtWork(tabId: number, runId: string): Promise<boolean> {
    const run = await loadRun(tabId)
    return run?.runId === runId && !isEnded(run.phase)
  }

  private async run(run: Run, effect: Effect, signal: AbortSignal): Promise<Outcome | undefined> {
    switch (effect.do) {
      case "capture": return look(run, await loadSettings(), await this.said.since(run.tabId))
      case "send": return this.send(run, signal)
      case "begin": {
        await this.said.clear(run.tabId)
        return { event: await begin(run) }
      }
      case "perform": return { event: { type: "acted", result: await perform(run, signal) }, beside: { file: null, ...(await withoutDone(run)) } }
      case "inquire": return { event: { type: "found", performed: await inquire(run) } }
      case "settle": return { event: { type: "settled", observed: await observe(run, await loadSettings(), signal) } }
      case "rest": return this.rest(run, effect.until, signal)
      case "end": return this.end(run)
    }
  }

  private async send(run: Run, signal: AbortSignal): Promise<Outcome> {
    if (run.loop.tell) await this.tellServer(run)
    const body = await loadBeside(run, "body")
    if (!body) return { event: { type: "lost" } }
    const event = await ask(run, body, signal)
    if (event.type !== "answered") return { event, ...((event.type === "refused" || event.type === "paused") && { beside: { body: null } }) }
    const { answer, values } = withhold(event.answer, (await loadBeside(run, "shown")) ?? {})
    const held = Object.keys(values).map(Number)
    return { event: { type: "answered", answer, held }, beside: { body: null, values: held.length > 0 ? values : null } }
  }

  private async rest(run: Run, until: number, signal: AbortSignal): Promise<Outcome> {
    await pause(Math.max(0, until - Date.now()), signal)
    if (run.phase === "trouble") return { event: { type: "due" } }
    while (!signal.aborted && run.taskId && (await isHeld(run))) await pause(holdAsked, signal)
    return { event: { type: "free" } }
  }

  private async end(run: Run): Promise<undefined> {
    await this.tellServer(run)
    return undefined
  }

  private async tellServer(run: Run): Promise<void> {
    const what = run.loop.tell
    const taken = what && await tell(run, what)
    if (taken === undefined) return
    await this.inTurn(async () => {
      const now = await loadRun(run.tabId)
      if (now?.runId === run.runId && now.loop.tell === what) await this.apply(now, { type: "told", ...(!taken && { refused: true }) })
    })
  }
}

// withoutDone are the values that are left once an action is done.
async function withoutDone(run: Run): Promise<Beside> {
  const { held } = run.loop.doing ?? {}
  if (held === undefined) return {}
  const { [held]: _done, ...values } = (await loadBeside(run, "values")) ?? {}
  return { values: Object.keys(values).length > 0 ? values : null }
}

// handsOff are the phases in which nothing is done on the page, so that its dialogs are a
// person's.
const handsOff = (p: Phase): boolean => isEnded(p) || ["held", "question", "permission", "file", "trouble"].includes(p)

// leave gives the page back what is kept from it while the task is at work.
function leave(tabId: number, isOver: boolean): void {
  void leaveReal(tabId, isOver)
  void chrome.tabs.sendMessage(tabId, { stepledger: 1, call: "leaveDialogs", args: [] } satisfies FrameRequest).catch(() => undefined)
}

// trouble is what a failed effect means. An action that failed on the way may have been done.
function trouble(e: unknown, effect: Effect): Happening {
  const failure: Failure = e instanceof PageError ? e.failure : { code: "INTERNAL_ERROR", message: e instanceof Error ? e.message : String(e) }
  if (failure.code === "TAB_GONE") return { type: "gone" }
  if (effect.do === "perform") return { type: "unsure" }
  if (failure.code === "RESTRICTED_PAGE") return { type: "restricted", message: failure.message }
  return { type: "trouble", failure }
}


/**
 * The server, as the loop needs it: each call is made once and ends as an event of the
 * machine. Whether and when to ask again is the machine's to say.
 */

import { createStepledger, type Failure as CallFailure, type Stepledger } from "@stepledger/client"

import { t } from "../ui/texts"
import { loadLogin, loadSettings, saveLogin } from "./store"
import type { Happening, Run } from "./state"

/** A client of the server in the settings, with the login of the storage. */
export async function connect(): Promise<Stepledger> {
  const { server } = await loadSettings()
  return createStepledger({
    baseUrl: server.replace(/\/+$/, ""),
    fetch: (request) => fetch(request),
    tokens: {
      get: async () => loadLogin(),
      set: async (token) => saveLogin({ ...token, email: "" }),
      remove: async () => saveLogin(undefined),
    },
  })
}

/** Logs in and keeps the token; the password is kept nowhere. */
export async function login(email: string, password: string): Promise<{ ok: true } | { error: { code: string, message: string } }> {
  const result = await (await connect()).login(email, password)
  if (!result.ok) return { error: { code: codeOf(result.error), message: result.error.message } }
  await saveLogin({ accessToken: result.data.accessToken, expiresAt: result.data.expiresAt, email: result.data.user.email })
  return { ok: true }
}

/** Revokes the token and forgets it. */
export async function logout(): Promise<void> {
  await (await connect()).logout()
  await saveLogin(undefined)
}

/** Sends a stored body under its key, once. */
export async function ask(run: Run, body: string, signal: AbortSignal): Promise<Happening> {
  if (!(await loadLogin())) return loginNeeded
  const result = await (await connect()).interactStored(body, { key: run.loop.key, signal })
  return result.ok ? { type: "answered", answer: result.data } : refusal(result.error)
}

const loginNeeded: Happening = { type: "trouble", final: true, failure: { code: "UNAUTHORIZED", message: t("failure.UNAUTHORIZED") } }

// refusal says what a failed request means for the run (docs/api.md).
function refusal(e: CallFailure): Happening {
  if (e.kind === "no answer") return { type: "trouble", failure: { code: "NO_ANSWER", message: t("failure.NO_ANSWER") } }
  const retryAfter = e.retryAfter === undefined ? undefined : e.retryAfter * 1000
  const failure = { code: e.code, message: e.message }
  const later = { type: "trouble" as const, failure, ...(retryAfter !== undefined && { retryAfter }) }
  switch (true) {
    case e.status === 401: return loginNeeded
    case e.code === "TASK_PAUSED": return { type: "paused", message: e.message, ...(retryAfter !== undefined && { retryAfter }) }
    case e.code === "TASK_STOPPED": return { type: "stopped", message: e.message }
    case e.code === "QUOTA_EXCEEDED": return { ...later, retryAfter: Math.max(retryAfter ?? 0, 60_000) }
    case e.status === 409 && retryAfter !== undefined: return later
    case e.status === 429 || e.status >= 500 && e.code !== "LLM_ERROR" || e.status === 503: return later
  }
  return { type: "refused", failure }
}

const codeOf = (e: CallFailure): string => (e.kind === "refused" ? e.code : "NO_ANSWER")

/** Whether somebody still holds the task; undefined where the server does not say. */
export async function isHeld(run: Run): Promise<boolean | undefined> {
  const result = await (await connect()).activeTask(run.sessionId, { url: run.url })
  return result.ok && result.data.taskId === run.taskId ? result.data.paused !== undefined : undefined
}

/** The task at work on an address, for a record that is lost or too old. */
export async function activeTask(sessionId: string, url: string): Promise<{ taskId: string, query: string } | undefined | "no answer"> {
  const result = await (await connect()).activeTask(sessionId, { url })
  if (result.ok) return { taskId: result.data.taskId, query: result.data.query }
  return result.error.kind === "no answer" || result.error.status >= 500 ? "no answer" : undefined
}

/** Tells the server what the user has done with the task, and says whether it took it: not
 * everybody may put a task on hold there. Undefined where it is to be told again. */
export async function tell(run: Run, what: "stop" | "pause" | "resume"): Promise<boolean | undefined> {
  const { api } = await connect()
  const path = { taskId: run.taskId }
  const calls = {
    stop: () => api.POST("/api/task/{taskId}/stop", { params: { path } }),
    pause: () => api.POST("/api/debug/tasks/{taskId}/pause", { params: { path }, body: { kind: "takeover" } }),
    resume: () => api.POST("/api/debug/tasks/{taskId}/resume", { params: { path }, body: {} }),
  }
  try {
    const { response } = await calls[what]()
    return response.status >= 500 || response.status === 429 || response.status === 401 ? undefined : response.status !== 403
  } catch {
    return undefined
  }
}

/** What the task has cost so far, in dollars; undefined where it is not known. */
export async function costOf(taskId: string): Promise<string | undefined> {
  const { api } = await connect()
  try {
    const { data } = await api.GET("/api/usage/summary", { params: { query: { taskId } } })
    return data?.data.totals.costUSD
  } catch {
    return undefined
  }
}

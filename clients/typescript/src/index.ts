/**
 * A client of the Stepledger HTTP API. Types come from the description the server
 * itself serves; failures are values, so that none is forgotten. It keeps a token,
 * makes a key for every interact request and repeats it until it is answered. What the
 * named calls do not cover is reached, typed as well, through `api`.
 */
import createClient, { type Client } from "openapi-fetch"

import { noAnswer, refusal, type Result } from "./errors.js"
import { type Patience, repeated, usualPatience } from "./repeat.js"
import type { components, operations, paths } from "./schema.js"
import { inMemory, type TokenStore } from "./token.js"

export { type Code, codes, type KnownCode } from "./codes.js"
export { type Failure, type NoAnswer, rateLimit, type RateLimit, type Refused, type Result } from "./errors.js"
export { passes, type Patience } from "./repeat.js"
export type { components, operations, paths } from "./schema.js"
export { inMemory, type Token, type TokenStore } from "./token.js"

/** The shapes of bodies and answers, by their names in the description. */
export type Schemas = components["schemas"]
/** What interact takes: the page, the task, the report on the last action. */
export type Interaction = Schemas["InteractBody"]
/** What interact answers: the next action, or why there is none. */
export type Answer = Schemas["EnvelopeStoredAnswer"]["data"]

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>

/** Settings of a client. */
export interface Options {
  /** Where the server is, without a path: https://stepledger.example.com */
  baseUrl: string
  /** Where the token is kept; in memory where it is left out. */
  tokens?: TokenStore
  /** In place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>
  /** How often interact is repeated; the parts left out are as usual. */
  patience?: Partial<Patience>
}

/** Settings of one interact request. */
export interface InteractOptions {
  /** The Idempotency-Key; a new one where it is left out. Keep it to repeat the request later. */
  key?: string
  /** Ends the call, as a failure without an answer. */
  signal?: AbortSignal
}

/** A client. Its calls never throw. */
export interface Stepledger {
  /** Logs in and keeps the token. */
  login(email: string, password: string): Promise<Result<Schemas["LoginData"]>>
  /** Revokes the token and forgets it, whether or not the server could be reached. */
  logout(): Promise<Result<undefined>>
  /** Sends the page and gets the next action; repeated under one key until there is an answer. */
  interact(body: Interaction, options?: InteractOptions): Promise<Result<Answer>>
  /**
   * Sends the JSON of an interaction byte for byte, once: for a client that stores what it sends, and repeats it
   * under the same key after it was ended in the middle.
   */
  interactStored(json: string, options: InteractOptions & { key: string }): Promise<Result<Answer>>
  /** Reads a conversation. */
  messages(sessionId: string, query?: Query<"messages">): Promise<Result<Schemas["MessagesData"]>>
  /** Finds the session touched last; NOT_FOUND codes where there is none. */
  latestSession(query?: Query<"latestSession">): Promise<Result<Schemas["SessionView"]>>
  /** Recovers the id of the task at work, after a reload. */
  activeTask(sessionId: string, query?: Query<"activeTask">): Promise<Result<Schemas["ActiveTaskData"]>>
  /** Archives a session; its open tasks are interrupted. */
  archive(sessionId: string): Promise<Result<Schemas["ArchivedData"]>>
  /** Every operation of the description. */
  api: Client<paths>
}

/** Makes a client. */
export function createStepledger(options: Options): Stepledger {
  const tokens = options.tokens ?? inMemory()
  const patience = { ...usualPatience, ...options.patience }
  const api = createClient<paths>({ baseUrl: options.baseUrl, ...(options.fetch && { fetch: options.fetch }) })
  api.use({
    async onRequest({ request }) {
      const token = await tokens.get()
      if (token && !request.headers.has("Authorization")) request.headers.set("Authorization", `Bearer ${token.accessToken}`)
      return request
    },
    async onResponse({ request, response }) {
      // A token that was refused is refused for ever. A login may have stored another since.
      const token = await tokens.get()
      if (response.status === 401 && token && request.headers.get("Authorization") === `Bearer ${token.accessToken}`) await tokens.remove()
      return response
    },
  })

  return {
    api,
    async login(email, password) {
      const result = await data(api.POST("/api/v1/auth/login", { body: { email, password } }))
      if (result.ok) await tokens.set({ accessToken: result.data.accessToken, expiresAt: result.data.expiresAt })
      return result
    },
    async logout() {
      const result = await settled(api.POST("/api/v1/auth/logout"))
      await tokens.remove()
      return result
    },
    interact(body, { key = crypto.randomUUID(), signal } = {}) {
      const same = structuredClone(body) // what is repeated has to be equal
      const init = { body: same, params: { header: { "Idempotency-Key": key } }, ...(signal && { signal }) }
      return repeated(patience, () => data(api.POST("/api/agent/interact", init)), signal)
    },
    interactStored(json, { key, signal }) {
      const init = { body: { url: "" }, bodySerializer: () => json, params: { header: { "Idempotency-Key": key } }, ...(signal && { signal }) }
      return data(api.POST("/api/agent/interact", init))
    },
    messages: (sessionId, query = {}) => data(api.GET("/api/session/{sessionId}/messages", { params: { path: { sessionId }, query } })),
    latestSession: (query = {}) => data(api.GET("/api/session/latest", { params: { query } })),
    activeTask: (sessionId, query = {}) => data(api.GET("/api/session/{sessionId}/task/active", { params: { path: { sessionId }, query } })),
    archive: (sessionId) => data(api.POST("/api/session", { body: { sessionId } })),
  }
}

/** What openapi-fetch makes of an answer. */
interface Fetched<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The answer without its envelope, or the failure. */
async function data<T>(call: Promise<Fetched<{ success: true; data: T }>>): Promise<Result<T>> {
  const result = await settled(call)
  if (!result.ok) return result
  if (result.data?.success !== true) return { ok: false, error: noAnswer(new Error("the answer has no envelope")), response: result.response }
  return { ...result, data: result.data.data }
}

async function settled<T>(call: Promise<Fetched<T>>): Promise<Result<T>> {
  try {
    const { data, error, response } = await call
    if (error !== undefined || !response.ok) return { ok: false, error: refusal(response, error), response }
    return { ok: true, data: data as T, response }
  } catch (cause) {
    return { ok: false, error: noAnswer(cause) }
  }
}

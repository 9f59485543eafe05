import type { Code } from "./codes.js"
import type { components } from "./schema.js"

type ErrorBody = components["schemas"]["ErrorBody"]

/** The server refused the request, or could not serve it. */
export interface Refused {
  kind: "refused"
  status: number
  code: Code
  message: string
  /** The field at fault and why, where one is; requestId where the server is. */
  details: Record<string, unknown>
  /** Seconds after which trying again makes sense. */
  retryAfter?: number
}

/**
 * No answer came, or none that can be read: nobody knows whether the request was
 * served. With an Idempotency-Key it can be repeated all the same.
 */
export interface NoAnswer {
  kind: "no answer"
  message: string
  cause: unknown
}

/** Why a call has no result. */
export type Failure = Refused | NoAnswer

/** How many requests the tenant has left. */
export interface RateLimit {
  limit: number
  remaining: number
  resetsAt: Date
}

/** What came of a call: data, or a failure as a value. Calls do not throw. */
export type Result<T> =
  | { ok: true; data: T; response: Response }
  | { ok: false; error: Failure; response?: Response }

/** The rate limit headers of an answer, undefined where it has none. */
export function rateLimit(response: Response): RateLimit | undefined {
  const read = (name: string) => {
    const text = response.headers.get(name)
    return text === null || !/^\d+$/.test(text) ? undefined : Number(text)
  }
  const limit = read("X-RateLimit-Limit")
  const remaining = read("X-RateLimit-Remaining")
  const reset = read("X-RateLimit-Reset")
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  return { limit, remaining, resetsAt: new Date(reset * 1000) }
}

/** An error's body as a value. A proxy in between may have answered something else. */
export function refusal(response: Response, body: unknown): Failure {
  if (!isErrorBody(body)) {
    return { kind: "no answer", message: `status ${response.status} without an error of the API`, cause: body }
  }
  const refused: Refused = {
    kind: "refused", status: response.status, code: body.code, message: body.message, details: body.details ?? {},
  }
  if (body.retryAfter !== undefined) refused.retryAfter = body.retryAfter
  return refused
}

/** What a thrown error comes to. */
export function noAnswer(cause: unknown): NoAnswer {
  return { kind: "no answer", message: cause instanceof Error ? cause.message : String(cause), cause }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== "object" || body === null) return false
  const e = body as Record<string, unknown>
  return e["success"] === false && typeof e["code"] === "string" && typeof e["message"] === "string"
}

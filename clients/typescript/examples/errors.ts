/** Errors are told apart by their code; what a code means never changes. */
import assert from "node:assert/strict"

import { createStepledger, type Failure } from "../src/index.js"
import { baseUrl, loggedIn, page, query, url } from "./setting.js"

/** What an extension would do about a failure. */
export function advice(e: Failure): string {
  if (e.kind === "no answer") return "repeat the request as it was"
  switch (e.code) {
    case "UNAUTHORIZED":
    case "INVALID_CREDENTIALS":
      return "show the login"
    case "RATE_LIMIT":
      return `wait ${e.retryAfter} seconds`
    case "VALIDATION_ERROR":
      return `mend ${e.details["field"]}: ${e.details["reason"]}`
    case "TASK_COMPLETED":
    case "TASK_NOT_FOUND":
      return "begin a new task"
    default:
      return `show: ${e.message}`
  }
}

export async function byCode() {
  const client = await loggedIn()
  const bad = await client.interact({ url: "no address", query, dom: page })
  assert(!bad.ok && bad.error.kind === "refused")
  assert.equal(bad.error.status, 400)
  assert.equal(bad.error.code, "VALIDATION_ERROR")
  assert.equal(bad.error.details["field"], "url")
  assert.match(advice(bad.error), /^mend url: ./)

  const unknown = await client.interact({ url, query, dom: page, taskId: crypto.randomUUID() })
  assert(!unknown.ok)
  assert.equal(advice(unknown.error), "begin a new task")

  const stranger = await createStepledger({ baseUrl }).interact({ url, query, dom: page })
  assert(!stranger.ok && stranger.response?.status === 401)
  assert.equal(advice(stranger.error), "show the login")
}

/** What TypeScript refuses is refused before anything is sent. */
export async function byType() {
  const client = await loggedIn()
  // @ts-expect-error an address is needed
  const noUrl = await client.interact({ query, dom: page })
  assert(!noUrl.ok)
  // @ts-expect-error there is no such status
  const status = await client.interact({ url, query, dom: page, lastActionStatus: "done" })
  assert(!status.ok)
  // @ts-expect-error an id is a number or a text
  const id = await client.interact({ url, query, dom: page, lastActionError: { elementId: { of: 1 } } })
  assert(!id.ok)
  // @ts-expect-error nobody has this status
  const latest = await client.latestSession({ status: "gone" })
  assert(!latest.ok)
}

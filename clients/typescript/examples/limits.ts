/** How much is left, and what comes when nothing is. */
import assert from "node:assert/strict"

import { createStepledger, rateLimit } from "../src/index.js"
import { baseUrl, got, limitedEmail, loggedIn, page, password, query, url } from "./setting.js"

export async function headers() {
  const client = await loggedIn()
  const result = await client.interact({ url, query, dom: page })
  assert(result.ok)
  const limit = result.response.headers.get("X-RateLimit-Limit")
  const remaining = result.response.headers.get("X-RateLimit-Remaining")
  const reset = result.response.headers.get("X-RateLimit-Reset")
  assert(limit && remaining && reset)
  assert(parseInt(remaining) < parseInt(limit))
  assert(new Date(parseInt(reset) * 1000) > new Date(Date.now() - 1000))
  assert.deepEqual(rateLimit(result.response), {
    limit: Number(limit), remaining: Number(remaining), resetsAt: new Date(Number(reset) * 1000),
  })
}

/** Requests until one is refused; it says how long to wait, and the client waits. */
export async function usedUp() {
  const waits: number[] = []
  const client = createStepledger({
    baseUrl,
    patience: { attempts: 2, longestWait: 60_000, sleep: async (milliseconds) => { waits.push(milliseconds) } },
  })
  got(await client.login(limitedEmail, password))
  for (let sent = 0; sent < 100; sent++) {
    const result = await client.interact({ url, query, dom: page })
    if (result.ok) continue
    assert(result.error.kind === "refused")
    assert.equal(result.error.status, 429)
    assert.equal(result.error.code, "RATE_LIMIT")
    assert(result.error.retryAfter! > 0)
    assert.equal(result.response?.headers.get("Retry-After"), String(result.error.retryAfter))
    assert.equal(rateLimit(result.response!)?.remaining, 0)
    assert.equal(waits.length, 1)
    return
  }
  assert.fail("a hundred requests were served")
}

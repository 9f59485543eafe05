/** Repeating: with the client, which does it for interact, and by hand. */
import assert from "node:assert/strict"

import { createStepledger } from "../src/index.js"
import { baseUrl, email, type Envelope, got, page, password, query, url } from "./setting.js"

/** A fetch that loses answers and is refused before it goes through. */
export async function throughTrouble() {
  const keys: (string | null)[] = []
  const bodies: string[] = []
  const waits: number[] = []
  const unavailable = { success: false, code: "TIMEOUT", message: "this took too long", retryAfter: 2 }
  const client = createStepledger({
    baseUrl,
    patience: { sleep: async (milliseconds) => { waits.push(milliseconds) } },
    async fetch(request) {
      if (!request.url.endsWith("/interact")) return fetch(request)
      keys.push(request.headers.get("Idempotency-Key"))
      bodies.push(await request.clone().text())
      switch (keys.length) {
        case 1: // it arrives, and its answer is lost
          await fetch(request)
          throw new TypeError("the connection was lost")
        case 2:
          return Response.json(unavailable, { status: 503, headers: { "Retry-After": "2" } })
        case 3: // a proxy's page
          return new Response("<h1>Bad gateway</h1>", { status: 502 })
      }
      return fetch(request)
    },
  })
  got(await client.login(email, password))
  const answer = got(await client.interact({ url, query, dom: page }))
  assert.deepEqual(waits, [500, 2000, 2000])
  assert(keys[0])
  assert.deepEqual([...new Set(keys)].length, 1)
  assert.deepEqual([...new Set(bodies)].length, 1)
  const messages = got(await client.messages(answer.sessionId))
  assert.equal(messages.messages.filter((m) => m.role === "user").length, 1)
}

/** What will not pass is not repeated, and no longer than allowed is waited. */
export async function inVain() {
  let sent = 0
  const answers = (status: number, body: object) => createStepledger({
    baseUrl,
    patience: { sleep: async () => {} },
    fetch: async () => { sent++; return Response.json(body, { status }) },
  })
  const refused = (code: string, retryAfter?: number) => ({ success: false, code, message: "no", ...(retryAfter && { retryAfter }) })
  for (const [status, body, attempts] of [
    [400, refused("VALIDATION_ERROR"), 1],
    [401, refused("UNAUTHORIZED"), 1],
    [409, refused("TASK_COMPLETED"), 1],
    [409, refused("RESOURCE_CONFLICT"), 1],
    [409, refused("RESOURCE_CONFLICT", 1), 5],
    [429, refused("QUOTA_EXCEEDED", 1), 1],
    [429, refused("RATE_LIMIT", 3600), 1],
    [503, refused("DATABASE_ERROR", 1), 5],
  ] as const) {
    sent = 0
    const result = await answers(status, body).interact({ url, query, dom: page })
    assert(!result.ok && result.error.kind === "refused" && result.error.code === body.code)
    assert.equal(sent, attempts, `${status} ${body.code}`)
  }
  const controller = new AbortController()
  controller.abort()
  const ended = await createStepledger({ baseUrl }).interact({ url, query, dom: page }, { signal: controller.signal })
  assert(!ended.ok && ended.error.kind === "no answer")
}

/** Without the client: a loop around fetch. The key makes it harmless. */
async function fetchAgain(address: string, init: RequestInit, attempts = 3): Promise<Response> {
  for (let made = 1; ; made++) {
    try {
      const response = await fetch(address, init)
      if (response.status !== 429 || made === attempts) return response
      const { retryAfter } = (await response.json()) as Envelope
      await new Promise((resolve) => setTimeout(resolve, (retryAfter || 2 ** made) * 1000))
    } catch (error) {
      if (made === attempts) throw error
      await new Promise((resolve) => setTimeout(resolve, 2 ** made * 100))
    }
  }
}

export async function byHand() {
  const headers = { "Content-Type": "application/json" }
  const login = await fetchAgain(`${baseUrl}/api/v1/auth/login`, { method: "POST", headers, body: JSON.stringify({ email, password }) })
  const { data } = (await login.json()) as Envelope
  const response = await fetchAgain(`${baseUrl}/api/agent/interact`, {
    method: "POST",
    headers: { ...headers, Authorization: `Bearer ${data.accessToken}`, "Idempotency-Key": crypto.randomUUID() },
    body: JSON.stringify({ url, query, dom: page }),
  })
  assert.equal(response.status, 200)
  await assert.rejects(fetchAgain("http://127.0.0.1:1/", {}, 2))
}

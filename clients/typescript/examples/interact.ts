/** A task: its first request, going on with it, and telling that an action failed. */
import assert from "node:assert/strict"

import { type Interaction, type Stepledger } from "../src/index.js"
import { baseUrl, email, type Envelope, got, loggedIn, page, password, query, url } from "./setting.js"

export async function firstRequest() {
  const client = await loggedIn()
  const answer = got(await client.interact({ url, query, dom: page }))
  assert(answer.thought)
  assert.match(answer.action ?? "", /^\w+\(.*\)$/s)
  assert(answer.taskId && answer.sessionId)
  assert.equal(answer.hasOrgKnowledge, false)
}

export async function goingOn() {
  const client = await loggedIn()
  const first = got(await client.interact({ url, query, dom: page }))
  const second = got(await client.interact({
    url,
    query: "Go on",
    dom: page.replace('type="email"', 'type="email" value="ann@example.com"'),
    taskId: first.taskId,
    sessionId: first.sessionId,
    lastActionStatus: "success",
  }))
  assert.equal(second.taskId, first.taskId)
  assert.equal(second.sessionId, first.sessionId)
  assert(second.status)
}

export async function anActionThatFailed() {
  const client = await loggedIn()
  const first = got(await client.interact({ url, query, dom: page }))
  const failed: Interaction = {
    url,
    query: "Go on",
    dom: page,
    taskId: first.taskId,
    sessionId: first.sessionId,
    lastActionStatus: "failure",
    lastActionError: { message: "there is no such element", code: "ELEMENT_NOT_FOUND", action: "click(123)", elementId: 123 },
  }
  const second = got(await client.interact(failed))
  assert.equal(second.taskId, first.taskId)
  assert(["executing", "correcting", "needs_user_input"].includes(second.status), second.status)
}

/** The same request under the same key has the same answer: nothing is done twice. */
export async function theSameAgain() {
  const client = await loggedIn()
  const key = crypto.randomUUID()
  const send = (c: Stepledger) => c.interact({ url, query, dom: page }, { key })
  const first = got(await send(client))
  assert.deepEqual(got(await send(client)), first)
  const other = await client.interact({ url, query: "Something else", dom: page }, { key })
  assert(!other.ok && other.error.kind === "refused" && other.error.code === "RESOURCE_CONFLICT")
}

export async function byHand() {
  const login = await fetch(`${baseUrl}/api/v1/auth/login`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ email, password }),
  })
  const token = ((await login.json()) as Envelope).data.accessToken
  const response = await fetch(`${baseUrl}/api/agent/interact`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ url, query, dom: page }),
  })
  const body = (await response.json()) as Envelope
  assert.equal(body.success, true)
  const { thought, action, taskId, sessionId, hasOrgKnowledge } = body.data
  for (const text of [thought, action, taskId, sessionId]) assert.equal(typeof text, "string")
  assert.equal(typeof hasOrgKnowledge, "boolean")
}

/** Conversations: the messages of one, and the one touched last. */
import assert from "node:assert/strict"

import { got, loggedIn, page, query, url } from "./setting.js"

export async function messages() {
  const client = await loggedIn()
  const { sessionId } = got(await client.interact({ url, query, dom: page }))
  const { messages, total, ...rest } = got(await client.messages(sessionId, { limit: 50, since: "2026-01-27T00:00:00.000Z" }))
  assert.equal(rest.sessionId, sessionId)
  assert.equal(total, messages.length)
  const [asked, replied] = messages
  assert(asked && replied)
  assert.equal(asked.role, "user")
  assert(asked.messageId && asked.content)
  assert.equal(asked.sequenceNumber, 0)
  assert(!Number.isNaN(Date.parse(asked.timestamp)))
  assert.equal(replied.role, "assistant")
  assert.equal(replied.sequenceNumber, 1)
  assert(replied.actionString && !replied.actionString.includes("blue-heron")) // secrets are sent once, to be typed, and kept from readers
}

export async function latest() {
  const client = await loggedIn()
  const { sessionId } = got(await client.interact({ url, query, dom: page }))
  const session = got(await client.latestSession({ status: "active" }))
  assert.equal(session.sessionId, sessionId)
  assert.equal(session.url, url)
  assert.equal(session.status, "active")
  assert(session.messageCount >= 2)
  assert(new Date(session.createdAt) <= new Date(session.updatedAt))
}

export async function theTaskAfterAReload() {
  const client = await loggedIn()
  const { sessionId, taskId } = got(await client.interact({ url, query, dom: page }))
  assert.equal(got(await client.activeTask(sessionId, { url })).taskId, taskId)
  assert.equal(got(await client.archive(sessionId)).status, "archived")
  const gone = await client.messages(sessionId)
  assert(!gone.ok && gone.error.kind === "refused" && gone.error.code === "SESSION_NOT_FOUND")
}

/** Logging in: the token, whose it is, and how it is sent. */
import assert from "node:assert/strict"

import { createStepledger, inMemory } from "../src/index.js"
import { baseUrl, email, type Envelope, got, password } from "./setting.js"

export async function byHand() {
  const response = await fetch(`${baseUrl}/api/v1/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password }),
  })
  const body = (await response.json()) as Envelope
  assert.equal(body.success, true)
  const { accessToken, expiresAt, user, tenantId, tenantName } = body.data
  for (const text of [accessToken, user.id, user.name, tenantId, tenantName]) assert(typeof text === "string" && text !== "")
  assert.equal(user.email, email)
  assert(new Date(expiresAt) > new Date())

  const session = await fetch(`${baseUrl}/api/v1/auth/session`, { headers: { Authorization: `Bearer ${accessToken}` } })
  assert.equal(session.status, 200)
}

export async function withTheClient() {
  const tokens = inMemory()
  const client = createStepledger({ baseUrl, tokens })
  const login = got(await client.login(email, password))
  assert.equal((await tokens.get())?.accessToken, login.accessToken)

  const { data } = await client.api.GET("/api/v1/auth/session")
  assert.equal(data?.data.user.email, email)

  assert((await client.logout()).ok)
  assert.equal(await tokens.get(), undefined)
  const after = await client.latestSession()
  assert(!after.ok && after.error.kind === "refused" && after.error.code === "UNAUTHORIZED")
}

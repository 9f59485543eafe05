/** The background script of an extension: the token in chrome.storage, and two ways to call. */
import assert from "node:assert/strict"

import { createStepledger, type Schemas, type Token, type TokenStore } from "../src/index.js"
import { baseUrl, email, type Envelope, got, page, password, query, url } from "./setting.js"

/** As much of chrome.storage.local as is used here. */
interface StorageArea {
  get(keys: string[]): Promise<Record<string, unknown>>
  set(items: Record<string, unknown>): Promise<void>
  remove(keys: string | string[]): Promise<void>
}

/** Stands for chrome.storage.local. */
function storageArea(): StorageArea {
  const kept = new Map<string, unknown>()
  return {
    get: async (keys) => Object.fromEntries(keys.filter((k) => kept.has(k)).map((k) => [k, kept.get(k)])),
    set: async (items) => { for (const [k, v] of Object.entries(items)) kept.set(k, v) },
    remove: async (keys) => { for (const k of [keys].flat()) kept.delete(k) },
  }
}

/** Keeps the token where a service worker that was put to sleep finds it again. */
function inStorage(area: StorageArea): TokenStore {
  return {
    async get(): Promise<Token | undefined> {
      const { accessToken, expiresAt } = await area.get(["accessToken", "expiresAt"])
      if (typeof accessToken !== "string" || typeof expiresAt !== "string") return undefined
      return new Date(expiresAt) > new Date() ? { accessToken, expiresAt } : undefined
    },
    set: (token) => area.set({ ...token }),
    remove: () => area.remove(["accessToken", "expiresAt"]),
  }
}

export async function withTheClient() {
  const area = storageArea()
  got(await createStepledger({ baseUrl, tokens: inStorage(area) }).login(email, password))

  const awake = createStepledger({ baseUrl, tokens: inStorage(area) }) // another life of the worker
  assert(got(await awake.interact({ url, query, dom: page })).action)

  await area.set({ expiresAt: "2020-01-01T00:00:00.000Z" })
  assert.equal(await inStorage(area).get(), undefined)

  await area.set({ accessToken: "revoked", expiresAt: "2999-01-01T00:00:00.000Z" })
  const refused = await awake.interact({ url, query, dom: page })
  assert(!refused.ok && refused.response?.status === 401)
  assert.deepEqual(await area.get(["accessToken"]), {})
}

/** The same by hand, for who wants no library. */
class AgentClient {
  private token: string | null = null

  constructor(private readonly base: string, private readonly area: StorageArea) {}

  async login(email: string, password: string): Promise<Envelope> {
    const response = await fetch(`${this.base}/api/v1/auth/login`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ email, password }),
    })
    const body = (await response.json()) as Envelope
    if (body.success) {
      this.token = body.data.accessToken
      await this.area.set({ accessToken: body.data.accessToken, expiresAt: body.data.expiresAt })
    }
    return body
  }

  async interact(url: string, query: string, dom: string, taskId?: string, sessionId?: string): Promise<Envelope> {
    const body = { url, query, dom, ...(taskId && { taskId }), ...(sessionId && { sessionId }) } satisfies Schemas["InteractBody"]
    const response = await fetch(`${this.base}/api/agent/interact`, {
      method: "POST", headers: { "Content-Type": "application/json", ...this.authorization() }, body: JSON.stringify(body),
    })
    if (response.headers.get("X-RateLimit-Remaining") === "0") console.error("nothing is left of the limit")
    if (response.status === 429) throw new Error(`limited: ${((await response.json()) as Envelope).message}`)
    if (response.status === 401) {
      this.token = null
      await this.area.remove("accessToken")
      throw new Error("log in again")
    }
    return (await response.json()) as Envelope
  }

  async messages(sessionId: string, limit = 50): Promise<Envelope> {
    const response = await fetch(`${this.base}/api/session/${sessionId}/messages?limit=${limit}`, { headers: this.authorization() })
    return (await response.json()) as Envelope
  }

  /** For a test: a token that somebody has revoked. */
  spoil() { this.token = "revoked" }

  private authorization() {
    if (!this.token) throw new Error("log in first")
    return { Authorization: `Bearer ${this.token}` }
  }
}

export async function byHand() {
  const area = storageArea()
  const client = new AgentClient(baseUrl, area)
  await assert.rejects(client.interact(url, query, page), /log in first/)
  assert.equal((await client.login(email, "wrong")).success, false)
  assert.equal((await client.login(email, password)).success, true)
  const first = await client.interact(url, query, page)
  assert.equal(typeof first.data.action, "string")
  const second = await client.interact(url, query, page, first.data.taskId, first.data.sessionId)
  assert.equal(second.data.taskId, first.data.taskId)
  assert.equal((await client.messages(first.data.sessionId)).data.sessionId, first.data.sessionId)
  client.spoil()
  await assert.rejects(client.interact(url, query, page), /log in again/)
  assert.deepEqual(Object.keys(await area.get(["accessToken", "expiresAt"])), ["expiresAt"])
}

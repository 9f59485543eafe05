/** What an organisation knows: a file is added, listed and removed. For admins; the calls are typed by the description. */
import assert from "node:assert/strict"

import { loggedIn } from "./setting.js"

const file = { name: "refunds.md", text: "# Refunds\n\nA refund takes five days." }

export async function files() {
  const { api } = await loggedIn()
  const added = await api.POST("/api/knowledge/ingest", { body: file })
  assert(added.data, JSON.stringify(added.error))
  const { sourceId, documentId, unchanged } = added.data.data
  assert(!unchanged)

  // A read that names the position of the write includes it.
  const atLeast = Number(added.response.headers.get("X-Event-Position"))
  const listed = await api.GET("/api/knowledge/sources/{sourceId}/documents", { params: { path: { sourceId }, query: { atLeast } } })
  assert(listed.data, JSON.stringify(listed.error))
  assert(listed.data.data.documents.some((d) => d.documentId === documentId && d.path === file.name))

  const again = await api.POST("/api/knowledge/ingest", { body: file })
  assert(again.data?.data.unchanged)

  const removed = await api.POST("/api/knowledge/sources/{sourceId}/documents/{documentId}/remove", { params: { path: { sourceId, documentId } } })
  assert(removed.data, JSON.stringify(removed.error))
  const found = await api.GET("/api/knowledge/search", { params: { query: { q: "how long does a refund take?", explain: true } } })
  assert(found.data, JSON.stringify(found.error))
  assert(!found.data.data.hits.some((hit) => hit.documentId === documentId)) // found no more at once
}

export async function refusals() {
  const { api } = await loggedIn()
  const { error } = await api.POST("/api/knowledge/index-link", { body: { url: "ftp://docs.example.com/", strategy: "single" } })
  assert.equal(error?.code, "VALIDATION_ERROR")
  assert.equal(error?.details?.["field"], "url")
}

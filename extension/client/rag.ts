/**
 * Huge pages are sent in part: what stands together is scored by the words of the task, and
 * the best is kept within a budget. What the task names is always kept, and so are the focus
 * and open dialogs. The server concludes nothing from what such a page lacks, and asks for
 * the whole one where it has to.
 */

import type { Schemas } from "../protocol"

type Node = Schemas["NodeV3"]

/** What stands together on a page. */
export interface Chunk { nodes: Node[], text: string }

/** A part of a page's tree. */
export interface Filtered { tree: Node[], reason: string, originalCount: number, filteredCount: number, tokenReduction: number }

/** How much is kept, and how relevant it has to be (0 to 1). */
export interface Budget { maxNodes: number, maxTokens: number, minRelevance: number }

export const usualBudget: Budget = { maxNodes: 50, maxTokens: 2000, minRelevance: 0.1 }

const hugeTokens = 30_000
const tallest = 200 // CSS pixels that a chunk spans
const largest = 40 // elements

/** Characters for each token of a model, roughly. */
const perToken = 4
const tokensOf = (nodes: Node[]) => Math.ceil(JSON.stringify(nodes).length / perToken)

/** How large a page's tree is, and whether it is too large to be sent whole. */
export function getDomStats(nodes: Node[]): { nodes: number, tokens: number, needsFiltering: boolean } {
  const tokens = tokensOf(nodes)
  return { nodes: nodes.length, tokens, needsFiltering: tokens > hugeTokens }
}

const top = (n: Node) => n.box?.[1] ?? n.xy?.[1] ?? 0
const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
const textOf = (n: Node) => [n.n, n.v].filter((t) => t !== undefined).join(" ")

/** Groups elements that follow each other and stand near each other. */
export function chunkDomNodes(nodes: Node[]): Chunk[] {
  const chunks: Node[][] = []
  for (const n of nodes) {
    const now = chunks.at(-1)
    const fits = now && now.length < largest && String(now[0].f ?? "") === String(n.f ?? "") && Math.abs(top(n) - top(now[0])) <= tallest
    if (fits) now.push(n)
    else chunks.push([n])
  }
  return chunks.map((list) => ({ nodes: list, text: list.map(textOf).join(" ") }))
}

const empty = new Set(["a", "an", "the", "to", "of", "in", "on", "at", "for", "and", "or", "with", "by", "is", "it", "this", "that", "my", "me", "please"])

/** The share of the task's words that a chunk has; other forms of a word count half. */
export function scoreChunkRelevance(chunk: Chunk, query: string): number {
  const asked = [...words(query)].filter((w) => !empty.has(w))
  if (asked.length === 0) return 0
  const has = words(chunk.text)
  const score = asked.map((w) => (has.has(w) ? 1 : [...has].some((h) => related(h, w)) ? 0.5 : 0))
  return score.reduce<number>((a, b) => a + b, 0) / asked.length
}

// related are two words with the same beginning: order, orders, ordering.
function related(a: string, b: string): boolean {
  const short = Math.min(a.length, b.length)
  return short >= 4 && a.slice(0, Math.max(4, short - 1)) === b.slice(0, Math.max(4, short - 1))
}

/** Keeps the chunks that matter, in their order on the page. */
export function filterDomForQuery(nodes: Node[], query: string, budget: Budget = usualBudget): Filtered {
  const chunks = chunkDomNodes(nodes)
  const kept = new Set<Node>(nodes.filter((n) => isNamed(n, query) || n.focused || String(n.i).startsWith("dialog_")))
  let tokens = tokensOf([...kept])
  const ranked = chunks.map((c) => ({ c, score: scoreChunkRelevance(c, query) })).filter((r) => r.score >= budget.minRelevance).sort((a, b) => b.score - a.score)
  for (const { c } of ranked) {
    const more = c.nodes.filter((n) => !kept.has(n))
    const cost = tokensOf(more)
    if (kept.size + more.length > budget.maxNodes || tokens + cost > budget.maxTokens) continue
    more.forEach((n) => kept.add(n))
    tokens += cost
  }
  if (kept.size === 0) chunks[0]?.nodes.slice(0, budget.maxNodes).forEach((n) => kept.add(n))
  const tree = nodes.filter((n) => kept.has(n))
  const reduction = Math.round(100 * (1 - tokensOf(tree) / tokensOf(nodes)))
  return { tree, reason: `Filtered for '${query.slice(0, 200)}'`, originalCount: nodes.length, filteredCount: tree.length, tokenReduction: Math.max(0, reduction) }
}

/** Whether the task names an element: all words of its name are among the task's. */
export function isNamed(n: Node, query: string): boolean {
  const name = [...words(String(n.n ?? ""))].filter((w) => !empty.has(w))
  const asked = words(query)
  return name.length > 0 && name.every((w) => asked.has(w))
}

/**
 * Which way of extraction is used: the tree of what can be acted on; the list with whole
 * keys where that tree is empty; the skeleton where that is empty too, with a picture where
 * the task is about what things look like. The whole document is sent only when the server
 * asks for it, or the user has set so.
 */

import type { Settings } from "../protocol"

/** Ways of extraction, as the request names them. */
export type Mode = Exclude<Settings["extraction"], "auto">

const visual = [
  "icon", "image", "logo", "picture", "photo", "avatar", "looks like", "appears", "color", "shape", "blue", "red", "green",
  "top", "bottom", "left", "right", "corner", "side", "edge", "next to", "above", "below", "beside", "near", "between",
  "first", "second", "third", "last", "middle", "what is", "what does", "how much", "price", "see", "show",
  "chart", "graph", "table", "grid", "card", "thumbnail",
]
const visualWords = new RegExp(`\\b(?:${visual.join("|").replaceAll(" ", "\\s+")})s?\\b`, "i")

/** Whether a task is about what things look like or where they are. */
export const isVisual = (query: string): boolean => visualWords.test(query)

/** The ways to try, in order; the next one where one finds nothing. */
export function modesFor(extraction: Settings["extraction"], query: string, full: boolean): Mode[] {
  if (full) return ["full"]
  const last: Mode = isVisual(query) ? "hybrid" : "skeleton"
  switch (extraction) {
    case "auto": case "semantic_v3": return ["semantic_v3", "semantic", last]
    case "semantic": return ["semantic", last]
  }
  return [extraction]
}

/**
 * Which field takes a file that is for a button, a label or a drop zone. What only a
 * script ties to a field is not found here: a click on it opens the browser's own choice
 * of files.
 */

import { type PageElement } from "./element"
import { isDisabled } from "./describe"
import { resolve } from "./walk"

const FILE = "input[type=file]"

/** AROUND is how far up a box may be that holds an element and its field. */
const AROUND = 2

/** fileInput is the field for a file that belongs to an element, null if it is not clear
 * which: the element, what it is the label of, or the only one in it or right around it. */
export const fileInput = (id: string): Element | null => {
  const el = resolve(id) as (PageElement & { control?: PageElement | null }) | null
  if (!el) return null
  const labelled = el.closest("label")?.control
  const own = [el, el.control ?? null, labelled ?? null].find((e) => e?.matches(FILE))
  if (own) return own
  for (let box: Element | null = el, n = 0; box && box.localName !== "body" && n <= AROUND; box = box.parentElement, n++) {
    const inside = [...box.querySelectorAll(FILE)].filter((e) => !isDisabled(e as PageElement))
    if (inside.length > 0) return inside.length === 1 ? inside[0] : null
    if (box.localName === "form") return null
  }
  return null
}

/**
 * All elements of this root in one list: those of the document, of the shadow trees that
 * can be had and of the frames that can be reached, in document order.
 */

import { type PageElement, isFrame } from "./element"
import { isOwn } from "./own"
import { shadowOf } from "./shadow"
import { documentOf, frameNumber, numberOfRoot } from "./walk"

/** What one look at the structure gives. */
export interface Scan {
  elements: PageElement[]
  /** The number of the frame that the element of the same index is in. */
  frames: number[]
  /** Documents and shadow trees, the outer before the inner. */
  roots: (Document | ShadowRoot)[]
  /** Frames whose documents cannot be reached. */
  unreached: PageElement[]
}

const add = (scan: Scan, root: Document | ShadowRoot, frame: number) => {
  scan.roots.push(root)
  const list = root.querySelectorAll<PageElement>("*")
  for (let i = 0; i < list.length; i++) {
    const el = list[i]
    if (isOwn(el)) continue
    scan.elements.push(el)
    scan.frames.push(frame)
    const shadow = shadowOf(el)
    if (shadow) add(scan, shadow, frame)
    if (!isFrame(el)) continue
    const inner = documentOf(el)
    if (inner) add(scan, inner, frameNumber(el))
    else scan.unreached.push(el)
  }
}

/** scanPage lists what is there now. */
export const scanPage = (): Scan => {
  const scan: Scan = { elements: [], frames: [], roots: [], unreached: [] }
  add(scan, document, numberOfRoot())
  return scan
}

/** selectAll finds what a selector matches, root by root. */
export const selectAll = (scan: Scan, selector: string): PageElement[] => scan.roots.flatMap((root) => [...root.querySelectorAll<PageElement>(selector)])

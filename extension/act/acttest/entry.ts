/**
 * What the tests put into a page, in a world beside its scripts: the actions, and names for
 * elements by their selectors, through shadow roots and frames.
 */

import "../../page/install"
import { act } from "../index"
import { identify, walk } from "../../page/walk"

const idOf = (selector: string): string => {
  for (const [el, frame] of walk()) if (el.matches(selector)) return identify(el, frame)
  throw new Error(`nothing matches ${selector}`)
}

Object.assign(globalThis, { actor: { ...act, idOf } })

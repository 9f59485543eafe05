/**
 * What the tests put into a page, in a world beside its scripts: the actions, and names for
 * elements by their selectors, through shadow roots and frames.
 */

import "../../page/install"
import { act } from "../index"
import { scanPage } from "../../page/scan"
import { identify } from "../../page/walk"

const idOf = (selector: string): string => {
  const { elements, frames } = scanPage()
  const i = elements.findIndex((el) => el.matches(selector))
  if (i < 0) throw new Error(`nothing matches ${selector}`)
  return identify(elements[i], frames[i])
}

Object.assign(globalThis, { actor: { ...act, idOf } })

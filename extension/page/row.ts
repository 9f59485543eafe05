/**
 * What an element belongs to: the text of the row, list item, paragraph or card that it
 * stands in, without its own. It tells one "Delete" from another. It is read without a
 * look at what is drawn, so it costs little, and is the same for the same markup.
 */

import { clean } from "./describe"
import { type PageElement, above, isElement, isText } from "./element"
import { shadowOf } from "./shadow"

const ITEM = "tr,li,p,dt,dd,article,figure,option,label,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article],[role=group]"
/** WHOLE are boxes that hold items and are none. */
const WHOLE = "html,body,main,nav,header,footer,aside,form,table,tbody,thead,tfoot,ul,ol,dl,menu,dialog,fieldset,[role=main],[role=list],[role=table],[role=grid],[role=tree],[role=dialog],[role=listbox],[role=menu],[role=toolbar]"
/** CHANGING is what an item says of the moment and not of itself. */
const CHANGING = "script,style,noscript,template,select,textarea,time,progress,meter,[contenteditable=''],[contenteditable=true],[role=alert],[role=status],[role=timer],[aria-live]"

const LONGEST = 160 // of an item's text; what tells items apart is at their beginning
const LONGEST_CARD = 400 // more text than that is no item but a part of the page

/** textBesides collects the text of a box without that of one element in it. */
const textBesides = (box: PageElement, left: PageElement, max: number): string => {
  let out = ""
  const read = (node: Node) => {
    if (out.length > max) return
    if (isText(node)) out += node.data
    if (!isElement(node) || node === left || node.matches(CHANGING)) return
    out += " "
    for (const child of (shadowOf(node) ?? node).childNodes) read(child)
    out += " "
  }
  read(box)
  return out.trim() === "" ? "" : out
}

/** rowOf is the text of the smallest item around an element that says more than the element
 * itself, "" if it stands in none. A box of any kind is an item if it is short. */
export const rowOf = (el: PageElement): string => {
  for (let box = above(el); box && !box.matches(WHOLE); box = above(box)) {
    const isItem = box.matches(ITEM)
    const text = textBesides(box, el, isItem ? LONGEST : LONGEST_CARD)
    if (text.trim() === "") continue
    return isItem || text.length <= LONGEST_CARD ? clean(text, LONGEST) : ""
  }
  return ""
}

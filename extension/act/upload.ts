/**
 * A file that the user chose, put into a field for files, or dropped where a page takes
 * files by a drop. The file is nowhere else in the page.
 */

import { above } from "../page/element"
import { scanPage, selectAll } from "../page/scan"
import type { Perform } from "../protocol"
import { type Doing, Refused, quoted } from "./doing"
import { dispatchDrag } from "./mouse"
import { find, placeOf, reach } from "./target"
import { tell } from "./tell"

type Input = HTMLInputElement

/** upload gives a file to the field of an element: itself, what its label or button is for,
 * or a drop onto it. */
export const upload = (id: string, file: Perform["file"], expect: Perform["expect"], doing: Doing) => {
  const { el, about } = find(id, expect, doing)
  if (!file) throw new Refused("NO_FILE", "no file was chosen")
  const data = new DataTransfer()
  data.items.add(new File([bytesOf(file.data)], file.name, { type: file.type }))
  const field = fieldOf(el)
  if (!field) return drop(reach(id, expect, doing).el, data, doing)
  if (field.matches(":disabled")) throw new Refused("ELEMENT_DISABLED", `${about.role} ${quoted(about.name)} is disabled`)
  doing.begin()
  field.files = data.files
  tell(field, "input", "change")
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))

const isFileField = (el: Element): el is Input => el.localName === "input" && (el as Input).type === "file"

/** fieldOf is the field for files that an element is, is a label of, or stands beside as the
 * button that opens it. */
const fieldOf = (el: HTMLElement): Input | null => {
  if (isFileField(el)) return el
  const labelled = (el.closest("label") as HTMLLabelElement | null)?.control
  if (labelled && isFileField(labelled)) return labelled
  const named = (el.getAttribute("for") ?? el.getAttribute("aria-controls") ?? "") && el.ownerDocument.getElementById(el.getAttribute("for") ?? el.getAttribute("aria-controls") ?? "")
  if (named && isFileField(named)) return named
  for (let up: Element | null = el, n = 0; up && n < 5; up = above(up), n++) {
    const found = [...up.querySelectorAll("input")].filter(isFileField)
    if (found.length > 0) return found.length === 1 ? found[0] : null // which one is meant is not known
  }
  const all = selectAll(scanPage(), "input").filter(isFileField)
  return all.length === 1 ? all[0] : null
}

const drop = (el: HTMLElement, data: DataTransfer, doing: Doing) => {
  const place = placeOf(el)
  if (!place) throw new Refused("ELEMENT_NOT_VISIBLE", "the place for the file cannot be seen")
  doing.begin()
  const send = (type: string) => dispatchDrag(type, place.el, place.x, place.y, { dataTransfer: data })
  send("dragenter")
  if (!send("dragover") && !send("drop")) return
  send("dragleave")
  throw new Refused("ELEMENT_NOT_EDITABLE", "this takes no file")
}

/**
 * A keyboard made of events: keydown, keypress and keyup on what has the focus, and what a
 * browser does of itself after them, which it does not do for made ones (defaults.ts). A
 * page that prevents an event prevents that.
 */

import { focused } from "./focus"
import { afterDown, afterPress, afterUp } from "./defaults"
import { type Key, MODIFIERS, keyOf, parse } from "./keys"
import { pause } from "./doing"

const send = (type: string, el: Element, key: Key, charCode = 0) =>
  el.dispatchEvent(new KeyboardEvent(type, {
    bubbles: true, cancelable: true, composed: true, view: el.ownerDocument.defaultView, key: key.key, code: key.code, location: key.location,
    ctrlKey: key.ctrlKey, altKey: key.altKey, shiftKey: key.shiftKey, metaKey: key.metaKey,
    keyCode: charCode || key.keyCode, charCode,
  }))

/** strike presses and releases one key in what has the focus. between is what is waited for
 * between the two. It says whether the page let the key type. */
export const strike = async (key: Key, between = () => pause(0)): Promise<boolean> => {
  let el = focused()
  let typed = send("keydown", el, key)
  if (typed && (key.text === "" || key.ctrlKey || key.altKey || key.metaKey || key.key === "Enter")) afterDown(el, key)
  if (typed && key.text !== "" && !key.altKey && !key.metaKey && (!key.ctrlKey || key.key === "Enter")) {
    el = focused()
    typed = send("keypress", el, key, key.text.charCodeAt(0))
    if (typed) afterPress(el, key)
  }
  await between()
  el = focused()
  if (send("keyup", el, key) && typed) afterUp(el, key)
  return typed
}

/** press presses a key or a combination: "Enter", "a", "Control+a". It throws Refused if
 * there is no such key, before anything is pressed. */
export const press = async (keys: string, begun: () => void) => {
  const { held, key } = parse(keys)
  begun()
  const down = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false }
  for (const name of held) {
    down[MODIFIERS[name]] = true
    send("keydown", focused(), keyOf(name, down)!)
  }
  await strike(key)
  for (const name of held.toReversed()) {
    down[MODIFIERS[name]] = false
    send("keyup", focused(), keyOf(name, down)!)
  }
}

/**
 * The keys by their names: "Enter", "a", "Control+A". What is on a keyboard of the United
 * States has a code; another letter is a key without one.
 */

import { Refused, quoted } from "./doing"

export interface Modifiers { ctrlKey: boolean, altKey: boolean, shiftKey: boolean, metaKey: boolean }

/** A key as events name it. text is what it types, "" if nothing. */
export interface Key extends Modifiers { key: string, code: string, keyCode: number, location: number, text: string }

const NAMED: Record<string, [code: string, keyCode: number, text?: string]> = {
  Enter: ["Enter", 13, "\r"], Tab: ["Tab", 9], Escape: ["Escape", 27], Backspace: ["Backspace", 8], Delete: ["Delete", 46],
  Insert: ["Insert", 45], Home: ["Home", 36], End: ["End", 35], PageUp: ["PageUp", 33], PageDown: ["PageDown", 34],
  ArrowLeft: ["ArrowLeft", 37], ArrowUp: ["ArrowUp", 38], ArrowRight: ["ArrowRight", 39], ArrowDown: ["ArrowDown", 40],
  ContextMenu: ["ContextMenu", 93], Pause: ["Pause", 19], CapsLock: ["CapsLock", 20], NumLock: ["NumLock", 144], ScrollLock: ["ScrollLock", 145],
  PrintScreen: ["PrintScreen", 44], " ": ["Space", 32, " "],
  Control: ["ControlLeft", 17], Shift: ["ShiftLeft", 16], Alt: ["AltLeft", 18], Meta: ["MetaLeft", 91],
}
for (let n = 1; n <= 12; n++) NAMED[`F${n}`] = [`F${n}`, 111 + n]

// The keys beside letters and digits: what they type alone and with Shift.
const MARKS: [code: string, keyCode: number, plain: string, shifted: string][] = [
  ["Semicolon", 186, ";", ":"], ["Equal", 187, "=", "+"], ["Comma", 188, ",", "<"], ["Minus", 189, "-", "_"], ["Period", 190, ".", ">"],
  ["Slash", 191, "/", "?"], ["Backquote", 192, "`", "~"], ["BracketLeft", 219, "[", "{"], ["Backslash", 220, "\\", "|"],
  ["BracketRight", 221, "]", "}"], ["Quote", 222, "'", "\""],
]
const OVER_DIGITS = ")!@#$%^&*("

/** MODIFIERS are the keys that change others, in the order they are held down. */
export const MODIFIERS = { Control: "ctrlKey", Alt: "altKey", Shift: "shiftKey", Meta: "metaKey" } as const
type Modifier = keyof typeof MODIFIERS

const NO_MODIFIERS: Modifiers = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false }

/** keyOf gives a key by its name or the character it types, null if there is none. */
export const keyOf = (name: string, held: Modifiers = NO_MODIFIERS): Key | null => {
  const named = NAMED[name === "Space" ? " " : name]
  const base = { ...held, location: 0 }
  if (named) return { ...base, key: name === "Space" ? " " : name, code: named[0], keyCode: named[1], text: named[2] ?? "", location: /Left$/.test(named[0]) && name in MODIFIERS ? 1 : 0 }
  if ([...name].length !== 1) return null
  const upper = name.toUpperCase()
  if (/^[a-z]$/i.test(name)) {
    const key = held.shiftKey ? upper : name
    return { ...base, key, code: `Key${upper}`, keyCode: upper.charCodeAt(0), text: key, shiftKey: held.shiftKey || key !== key.toLowerCase() && !held.ctrlKey && !held.metaKey }
  }
  const digit = /^\d$/.test(name) ? Number(name) : OVER_DIGITS.indexOf(name)
  if (digit >= 0) return { ...base, key: name, code: `Digit${digit}`, keyCode: 48 + digit, text: name, shiftKey: held.shiftKey || !/\d/.test(name) }
  const mark = MARKS.find((m) => m[2] === name || m[3] === name)
  if (mark) return { ...base, key: name, code: mark[0], keyCode: mark[1], text: name, shiftKey: held.shiftKey || mark[3] === name }
  return { ...base, key: name, code: "", keyCode: 0, text: name }
}

/** parse reads a combination such as Control+Shift+a: the keys held, and the one pressed. */
export const parse = (keys: string): { held: Modifier[], key: Key } => {
  const held: Modifier[] = []
  let name = keys
  for (;;) {
    const plus = name.indexOf("+")
    const prefix = name.slice(0, plus)
    if (plus < 1 || plus === name.length - 1 || !(prefix in MODIFIERS)) break
    held.push(prefix as Modifier)
    name = name.slice(plus + 1)
  }
  const modifiers = { ...NO_MODIFIERS }
  for (const m of held) modifiers[MODIFIERS[m]] = true
  const key = keyOf(name, modifiers)
  if (!key) throw new Refused("INVALID_ACTION", `there is no key ${quoted(keys)}`)
  return { held, key }
}

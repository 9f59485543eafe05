/**
 * The language in which the server says what to do: click("14"), setValue("14", "Jas").
 * It parses and prints, as the server's own parser does, and refuses what must not
 * reach a page: unknown names and keys, addresses that are not http(s). Actions that run
 * on the server are parsed too, since one may stand in an answer; a client does nothing
 * for them.
 */

import type { Action } from "../protocol"

/** An action of the whole language, those of the server included. */
export interface Parsed extends Omit<Action, "name"> { name: Action["name"] | ServerAction }

type ServerAction = "googleSearch" | "verifySuccess" | "find" | "more"
type Param = "id" | "to" | "text" | "seconds"

/** A text that is no action. */
export class InvalidAction extends Error {
  override name = "InvalidAction"
}

// name -> its parameters, and how many of them are required
const grammar: Record<Parsed["name"], [Param[], number]> = {
  click: [["id"], 1], setValue: [["id", "text"], 2], type: [["text"], 1], press: [["text"], 1], hover: [["id"], 1],
  scroll: [["id", "text"], 0], drag: [["id", "to"], 2], upload: [["id", "text"], 2], wait: [["seconds"], 1],
  navigate: [["text"], 1], goBack: [[], 0], googleSearch: [["text"], 1], find: [["text"], 1], more: [[], 0],
  verifySuccess: [["text"], 1], finish: [["text"], 0], fail: [["text"], 1],
}
const names = new Map(Object.keys(grammar).map((n) => [n.toLowerCase(), n as Parsed["name"]]))

const longestText = 10_000
const longestTarget = 512
const longestWait = 60 // seconds

/** Whether the server runs it, and the client nothing. */
export const onServer = (a: Parsed): boolean => ["googleSearch", "verifySuccess", "find", "more"].includes(a.name)

/** Whether it ends the task. */
export const endsTask = (a: Parsed): boolean => a.name === "finish" || a.name === "fail"

/** Whether an action is one of a page's element, or of the page; the others are the tab's. */
export const isOfPage = (a: Parsed): boolean => !["navigate", "goBack", "wait"].includes(a.name) && !onServer(a) && !endsTask(a)

/** Reads exactly one action; throws InvalidAction. */
export function parseAction(text: string): Parsed {
  const head = /^\s*([a-zA-Z]+)\s*\(/.exec(text)
  if (!head) throw new InvalidAction("an action is expected")
  const name = names.get(head[1].toLowerCase())
  if (!name) throw new InvalidAction(`"${head[1]}" is no action`)
  const [args, end] = readArguments(text, head[0].length)
  if (text.slice(end).trim() !== "") throw new InvalidAction("there is more after the action: exactly one action is expected")
  const action = build(name, args)
  validate(action)
  return action
}

interface Argument { text: string, quoted: boolean }

function readArguments(text: string, from: number): [Argument[], number] {
  const args: Argument[] = []
  let at = skip(text, from)
  if (text[at] === ")") return [args, at + 1]
  for (;;) {
    const [arg, next] = readArgument(text, skip(text, at))
    args.push(arg)
    at = skip(text, next)
    if (text[at] === ")") return [args, at + 1]
    if (text[at] !== ",") throw new InvalidAction("',' or ')' is expected")
    at++
  }
}

function skip(text: string, at: number): number {
  while (at < text.length && /\s/.test(text[at])) at++
  return at
}

function readArgument(text: string, at: number): [Argument, number] {
  if (text[at] === '"' || text[at] === "'") return readQuoted(text, at)
  const word = /^[^,()\s]+/.exec(text.slice(at))
  if (!word) throw new InvalidAction("an argument is expected")
  return [{ text: word[0], quoted: false }, at + word[0].length]
}

const escapes: Record<string, string> = { '"': '"', "'": "'", "\\": "\\", "/": "/", n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }

function readQuoted(text: string, open: number): [Argument, number] {
  let out = ""
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === text[open]) return [{ text: out, quoted: true }, at + 1]
    if (text[at] !== "\\") {
      out += text[at]
      continue
    }
    at++
    const hex = text[at] === "u" ? /^[0-9a-fA-F]{4}/.exec(text.slice(at + 1)) : null
    if (hex) {
      out += String.fromCharCode(parseInt(hex[0], 16))
      at += 4
    } else if (text[at] in escapes) {
      out += escapes[text[at]]
    } else {
      throw new InvalidAction("unknown escape")
    }
  }
  throw new InvalidAction("the quoted text has no end")
}

function build(name: Parsed["name"], args: Argument[]): Parsed {
  const [params, least] = grammar[name]
  if (args.length < least || args.length > params.length) throw new InvalidAction(`${name} does not take ${args.length} arguments`)
  const a: Parsed = { name, target: "", text: "", to: "", seconds: 0 }
  if (name === "scroll" && args.length === 1 && isDirection(args[0].text.toLowerCase())) {
    return { ...a, text: args[0].text.toLowerCase() }
  }
  args.forEach((arg, i) => put(a, params[i], arg))
  return a
}

function put(a: Parsed, param: Param, arg: Argument): void {
  if (param === "id" || param === "to") {
    if (!arg.quoted && !/^(?:[0-9]+|[A-Za-z_][A-Za-z0-9_-]*)$/.test(arg.text)) throw new InvalidAction(`"${arg.text}" is no element id`)
    if (arg.text === "") throw new InvalidAction("the element id is empty")
    a[param === "id" ? "target" : "to"] = arg.text
  } else if (param === "seconds") {
    if (!/^[0-9]+(?:\.[0-9]+)?$/.test(arg.text)) throw new InvalidAction(`"${arg.text}" is no number of seconds`)
    a.seconds = Number(arg.text)
  } else {
    if (!arg.quoted) throw new InvalidAction("a text has to stand in quotes")
    a.text = a.name === "press" ? canonicalKey(arg.text) : a.name === "scroll" ? arg.text.toLowerCase() : arg.text
  }
}

const isDirection = (s: string) => s === "up" || s === "down"

const keys = [
  "Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
  "Home", "End", "PageUp", "PageDown", ...Array.from({ length: 12 }, (_, i) => `F${i + 1}`),
]
const modifiers = ["Control", "Alt", "Shift", "Meta"]
const aliases: Record<string, string> = {
  return: "Enter", esc: "Escape", del: "Delete", " ": "Space", spacebar: "Space", up: "ArrowUp", down: "ArrowDown",
  left: "ArrowLeft", right: "ArrowRight", pgup: "PageUp", pgdn: "PageDown", ctrl: "Control", cmd: "Meta", command: "Meta", option: "Alt",
}

// In "Control++" the last plus is the key.
function splitKey(s: string): [string[], string] {
  const i = (s.endsWith("+") ? s.slice(0, -1) : s).lastIndexOf("+")
  return i < 0 ? [[], s] : [s.slice(0, i).split("+"), s.slice(i + 1)]
}

function canonicalKey(s: string): string {
  const spell = (word: string, known: string[]) => {
    const meant = aliases[word.toLowerCase()] ?? word
    return known.find((k) => k.toLowerCase() === meant.toLowerCase()) ?? meant
  }
  const [mods, key] = splitKey(s)
  return [...mods.map((m) => spell(m, modifiers)), spell(key, keys)].join("+")
}

function isKey(s: string): boolean {
  const [mods, key] = splitKey(s)
  if (mods.some((m, i) => !modifiers.includes(m) || mods.indexOf(m) < i)) return false
  return keys.includes(key) || ([...key].length === 1 && !/[\p{C}\p{Z}]/u.test(key))
}

function validate(a: Parsed): void {
  for (const id of [a.target, a.to]) {
    if (id.length > longestTarget || /\p{Cc}/u.test(id)) throw new InvalidAction("the element id is too long or holds control characters")
  }
  if ([...a.text].length > longestText) throw new InvalidAction(`the text of ${a.name} is longer than ${longestText} characters`)
  if (/\p{Cc}/u.test(a.text.replace(/[\n\t\r]/g, ""))) throw new InvalidAction(`the text of ${a.name} holds control characters`)
  if (a.name === "drag" && a.to === a.target) throw new InvalidAction("an element cannot be dragged to itself")
  if (a.name === "wait" && !(a.seconds > 0 && a.seconds <= longestWait)) throw new InvalidAction(`wait takes more than 0 and at most ${longestWait} seconds`)
  if (a.name === "press" && !isKey(a.text)) throw new InvalidAction(`"${a.text}" is no key`)
  if (a.name === "scroll" && (isDirection(a.target) || (a.text !== "" && !isDirection(a.text)))) throw new InvalidAction("scroll goes up or down")
  if (a.name === "type" && a.text === "") throw new InvalidAction("type needs a text")
  if (["fail", "googleSearch", "verifySuccess", "upload", "find"].includes(a.name) && a.text.trim() === "") throw new InvalidAction(`${a.name} needs a text`)
  if (a.name === "navigate") checkAddress(a.text)
}

// Stricter than browsers, which take a backslash for a slash and drop line breaks, so
// that one string can mean two hosts.
function checkAddress(address: string): void {
  if (/[\p{Cc}\s\\]/u.test(address) || !URL.canParse(address)) throw new InvalidAction("the URL cannot be read")
  const u = new URL(address)
  if (!/^https?:\/\//i.test(address) || u.hostname === "") throw new InvalidAction("navigate goes to http and https only")
  if (u.username !== "" || u.password !== "") throw new InvalidAction("the URL carries credentials")
}

/** Prints an action as the server does. */
export function printAction(a: Parsed): string {
  const [params, least] = grammar[a.name]
  const value = (p: Param) => (p === "id" ? a.target : p === "to" ? a.to : p === "seconds" ? String(a.seconds) : a.text)
  const args = params.flatMap((p, i) => (p === "seconds" ? [value(p)] : value(p) !== "" || i < least ? [quote(value(p))] : []))
  return `${a.name}(${args.join(", ")})`
}

function quote(s: string): string {
  const inner = s.replace(/["\\\p{Cc}\u2028\u2029]/gu, (c) => {
    const short: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" }
    return short[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
  return `"${inner}"`
}

/** An action as it may be shown and sent back: what goes into a secret field stays out. */
export function printable(a: Parsed, secret: boolean): string {
  return printAction(secret && (a.name === "setValue" || a.name === "type") ? { ...a, text: "[secret]" } : a)
}

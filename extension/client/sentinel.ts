/**
 * Whether an action had the outcome that was expected of it, seen from the client: what the
 * page was before it and what it is after. Seven types of outcome are told apart. It speaks
 * where the server has named what is to be seen; where nothing was named it keeps silent,
 * since the server sees both pages as well. A message of an error contradicts every outcome.
 */

import type { Answer, Schemas } from "../protocol"
import type { RawNode } from "./frames"

/** What may be expected. */
export type Expectation =
  | { type: "navigation" }
  | { type: "element_appears" | "element_disappears", text: string }
  | { type: "value_changes", id: string, to?: string }
  | { type: "state_changes", id: string }
  | { type: "any_change" }
  | { type: "no_change" }

/** A page as outcomes are judged by. */
export interface Snapshot {
  url: string
  /** What is written on it. */
  text: string
  values: Record<string, { value: string, state: string }>
  errors: string[]
  successes: string[]
}

/** What came of it. */
export interface Verdict {
  success: boolean
  verifiedOutcome: Expectation["type"]
  feedback: string
  errorsDetected: string[]
  elementFound?: boolean
}

const longestText = 100_000

/** Notes a page for a later comparison. Values of secret fields are not in it. */
export function snapshotOf(page: { url: string, html: string, nodes: RawNode[], errors: string[], successes: string[] }): Snapshot {
  const values = Object.fromEntries(page.nodes.map((n) => [n.id, { value: n.state.includes("secret") ? "" : n.value, state: [...n.state].sort().join(",") }]))
  const names = page.nodes.map((n) => n.name).join("\n")
  return { url: page.url, text: plain(`${page.html}\n${names}`).slice(0, longestText), values, errors: page.errors, successes: page.successes }
}

const plain = (html: string) => html.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").toLowerCase()

/** What an answer expects of its action. */
export function expectationsOf(expected: Answer["expectedOutcome"], action: { name: string, target: string, text: string } | undefined): Expectation[] {
  const changes = expected?.domChanges
  if (!changes) return []
  const all: Expectation[] = []
  if (changes.urlShouldChange === true) all.push({ type: "navigation" })
  for (const text of [changes.elementShouldExist, changes.elementShouldHaveText?.text]) {
    if (text && isText(text)) all.push({ type: "element_appears", text })
  }
  if (changes.elementShouldNotExist && isText(changes.elementShouldNotExist)) all.push({ type: "element_disappears", text: changes.elementShouldNotExist })
  const attributes = changes.attributeChanges ?? []
  const state = attributes.find((a) => /^(?:aria-)?(?:checked|expanded|selected|pressed|disabled)$/.test(a.attribute))
  const value = attributes.find((a) => a.attribute === "value")
  if (state && action?.target) all.push({ type: "state_changes", id: action.target })
  if (value && action?.name === "setValue") all.push({ type: "value_changes", id: action.target })
  return all
}

// isText: a selector says nothing to a comparison of texts.
const isText = (what: string) => !/[#.[\]>=]/.test(what) && !/^[a-z]+$/.test(what)

/** Judges one outcome. */
export function verifyOutcome(e: Expectation, before: Snapshot, after: Snapshot): Verdict {
  const errorsDetected = after.errors.filter((text) => !before.errors.includes(text))
  const [held, feedback, elementFound] = outcome(e, before, after)
  const success = held && errorsDetected.length === 0
  const wrong = errorsDetected.length > 0 ? ` Error: '${errorsDetected[0]}'` : ""
  return { success, verifiedOutcome: e.type, feedback: feedback + wrong, errorsDetected, ...(elementFound !== undefined && { elementFound }) }
}

function outcome(e: Expectation, before: Snapshot, after: Snapshot): [boolean, string, boolean?] {
  const had = (s: Snapshot, text: string) => s.text.includes(text.toLowerCase())
  switch (e.type) {
    case "navigation": return after.url !== before.url ? [true, "The address changed."] : [false, "The address is unchanged."]
    case "element_appears": return had(after, e.text) ? [true, `'${e.text}' is there.`, true] : [false, `'${e.text}' is not there.`, false]
    case "element_disappears": return had(after, e.text) ? [false, `'${e.text}' is still there.`] : [true, `'${e.text}' is gone.`]
    case "value_changes": {
      const [was, is] = [before.values[e.id]?.value, after.values[e.id]?.value]
      if (e.to !== undefined) return [is === e.to, is === e.to ? "The value is as it was set." : "The value is another."]
      return [is !== undefined && is !== was, is !== was ? "The value changed." : "The value is unchanged."]
    }
    case "state_changes": {
      const [was, is] = [before.values[e.id]?.state, after.values[e.id]?.state]
      return [is !== undefined && is !== was, is !== was ? "The state changed." : "The state is unchanged."]
    }
    case "any_change": {
      const changed = before.url !== after.url || before.text !== after.text || JSON.stringify(before.values) !== JSON.stringify(after.values)
      return [changed, changed ? "The page changed." : "Nothing changed."]
    }
    case "no_change": return [true, "No error is shown."]
  }
}

// isTold: what was there before tells nothing by being there.
const isTold = (e: Expectation, before: Snapshot) => e.type !== "element_appears" || !before.text.includes(e.text.toLowerCase())

/** The fields of the request that tell of it; none where nothing was expected that can be judged here. */
export function verificationFields(all: Expectation[], before: Snapshot | undefined, after: Snapshot): Partial<Schemas["InteractBody"]> {
  if (!before) return {}
  const verdicts = all.filter((e) => isTold(e, before)).map((e) => verifyOutcome(e, before, after))
  if (verdicts.length === 0) return {}
  const found = verdicts.map((v) => v.elementFound).filter((f) => f !== undefined)
  return {
    verification_passed: verdicts.every((v) => v.success), verification_message: verdicts.map((v) => v.feedback).join(" "),
    clientVerification: { urlChanged: before.url !== after.url, ...(found.length > 0 && { elementFound: found.every(Boolean) }) },
  }
}

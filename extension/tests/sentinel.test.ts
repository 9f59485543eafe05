import { describe, expect, test } from "vitest"

import { type Expectation, expectationsOf, type Snapshot, snapshotOf, verificationFields, verifyOutcome } from "../client/sentinel"

const snap = (more: Partial<Snapshot> = {}): Snapshot => ({ url: "http://a.test/", text: "hello", values: {}, errors: [], successes: [], ...more })

describe("each type of outcome", () => {
  const value = (value: string, state = "") => snap({ values: { 1: { value, state } } })
  test.each<[string, Expectation, Snapshot, Snapshot, boolean]>([
    ["navigation", { type: "navigation" }, snap(), snap({ url: "http://a.test/b" }), true],
    ["no navigation", { type: "navigation" }, snap(), snap(), false],
    ["appears", { type: "element_appears", text: "Thank you" }, snap(), snap({ text: "hello thank you" }), true],
    ["does not appear", { type: "element_appears", text: "Thank you" }, snap(), snap(), false],
    ["disappears", { type: "element_disappears", text: "Hello" }, snap(), snap({ text: "" }), true],
    ["stays", { type: "element_disappears", text: "Hello" }, snap(), snap(), false],
    ["value", { type: "value_changes", id: "1" }, value(""), value("x"), true],
    ["value as set", { type: "value_changes", id: "1", to: "y" }, value(""), value("x"), false],
    ["state", { type: "state_changes", id: "1" }, value(""), value("", "checked"), true],
    ["no state", { type: "state_changes", id: "1" }, value(""), value("x"), false],
    ["any", { type: "any_change" }, value(""), value("x"), true],
    ["none", { type: "any_change" }, snap(), snap(), false],
    ["no change expected", { type: "no_change" }, snap(), snap(), true],
    ["an error", { type: "no_change" }, snap(), snap({ errors: ["Invalid email"] }), false],
    ["an error beside", { type: "navigation" }, snap(), snap({ url: "http://b.test/", errors: ["Denied"] }), false],
    ["an old error", { type: "navigation" }, snap({ errors: ["Denied"] }), snap({ url: "http://b.test/", errors: ["Denied"] }), true],
  ])("%s", (_name, expectation, before, after, success) => {
    expect(verifyOutcome(expectation, before, after)).toMatchObject({ success, verifiedOutcome: expectation.type })
  })
})

describe("what is sent", () => {
  test("is nothing where nothing was named, or what was named was there before", () => {
    expect(verificationFields([], snap(), snap())).toEqual({})
    expect(verificationFields([{ type: "element_appears", text: "hello" }], snap(), snap())).toEqual({})
    expect(verificationFields([{ type: "navigation" }], undefined, snap())).toEqual({})
  })

  test("is the verdict in the fields of the request", () => {
    expect(verificationFields([{ type: "navigation" }, { type: "element_appears", text: "Done" }], snap(), snap({ errors: ["Invalid email"] }))).toEqual({
      verification_passed: false, verification_message: "The address is unchanged. Error: 'Invalid email' 'Done' is not there. Error: 'Invalid email'",
      clientVerification: { urlChanged: false, elementFound: false },
    })
  })
})

test("an answer's expectations are read as far as they can be judged by text", () => {
  expect(expectationsOf(undefined, undefined)).toEqual([])
  expect(expectationsOf({
    description: "", domChanges: {
      urlShouldChange: true, elementShouldExist: "#done", elementShouldHaveText: { selector: "h1", text: "Thank you" }, elementShouldNotExist: "Please wait",
      attributeChanges: [{ attribute: "aria-checked", expectedValue: "true" }],
    },
  }, { name: "click", target: "7", text: "" })).toEqual([
    { type: "navigation" }, { type: "element_appears", text: "Thank you" }, { type: "element_disappears", text: "Please wait" }, { type: "state_changes", id: "7" },
  ])
})

test("a snapshot has the words of a page, and no secret", () => {
  const node = { id: "1", frame: 0, role: "textbox", name: "Password", value: "hunter2", state: ["secret"], box: [0, 0, 0, 0] as [number, number, number, number], occluded: false, scroll: null }
  const s = snapshotOf({ url: "u", html: "<p>Hello <b>World</b></p><script>evil()</script>", nodes: [node], errors: [], successes: [] })
  expect(s.text).toContain("hello world")
  expect(s.text).not.toContain("evil")
  expect(JSON.stringify(s)).not.toContain("hunter2")
})

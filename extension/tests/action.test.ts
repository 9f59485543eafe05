import { describe, expect, test } from "vitest"

import { InvalidAction, parseAction, printable, printAction } from "../client/action"

describe("parseAction", () => {
  test.each([
    ['click("14")', { name: "click", target: "14" }], ["click(14)", { name: "click", target: "14" }], [" CLICK ( 'f1_3' ) ", { name: "click", target: "f1_3" }],
    ['setValue("2", "Hello, \\"world\\"\\n")', { name: "setValue", target: "2", text: 'Hello, "world"\n' }], ['setValue(2, "\\ud83d\\ude00")', { text: "\u{1f600}" }],
    ['press("ctrl+return")', { name: "press", text: "Control+Enter" }], ['press("Control++")', { text: "Control++" }],
    ['scroll("UP")', { name: "scroll", target: "", text: "up" }], ['scroll("14", "down")', { target: "14", text: "down" }], ["scroll()", { target: "", text: "" }],
    ["wait(0.5)", { name: "wait", seconds: 0.5 }], ['drag("1", "2")', { target: "1", to: "2" }], ["goBack()", { name: "goBack" }],
    ['navigate("https://a.example/x?y=1")', { text: "https://a.example/x?y=1" }], ["finish()", { name: "finish", text: "" }], ["more()", { name: "more" }],
  ])("%s", (text, wanted) => {
    expect(parseAction(text)).toMatchObject(wanted)
    expect(parseAction(printAction(parseAction(text)))).toEqual(parseAction(text))
  })

  test.each([
    "", "click", "click()", "click(14", 'click("14"); click("15")', "jump(1)", 'click("")', "click(1, 2)", "setValue(1)", "setValue(1, x)", 'press("F13x")', 'press("Foo+a")',
    "wait(0)", "wait(61)", "wait(x)", 'navigate("javascript:alert(1)")', 'navigate("https://a:b@c.example/")', 'navigate("https://a.example\\b")', 'navigate("/x")',
    'drag("1", "1")', 'scroll("14", "left")', "fail()", 'type("")', 'click("a\\u0000")', 'finish("x', 'finish("\\q")',
  ])("refuses %s", (text) => {
    expect(() => parseAction(text)).toThrow(InvalidAction)
  })

  test("what goes into a secret field is not printed", () => {
    expect(printable(parseAction('setValue("2", "hunter2")'), true)).toBe('setValue("2", "[secret]")')
    expect(printable(parseAction('setValue("2", "Jas")'), false)).toBe('setValue("2", "Jas")')
  })
})

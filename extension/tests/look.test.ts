import { describe, expect, test } from "vitest"

import { fill, frameOf } from "../client/frames"
import { hashOfText } from "../client/hash"
import { isVisual, modesFor } from "../client/mode"
import { originOf } from "../client/permissions"
import { isRestricted } from "../client/page"
import { chunkDomNodes, filterDomForQuery, getDomStats, isNamed, scoreChunkRelevance } from "../client/rag"
import { nodeV3, withDialog } from "../client/request"
import { hashOf } from "../client/screenshot"
import type { RawNode, TabCapture } from "../client/frames"

const raw = (id: string, name: string, more: Partial<RawNode> = {}): RawNode => ({ id, frame: 0, role: "button", name, value: "", state: [], box: [0, 0, 10, 20], occluded: false, scroll: null, ...more })
const page = (nodes: RawNode[], html = "<body><p>x</p></body>"): TabCapture => ({
  url: "http://a.test/", title: "", lastID: 0, lastFrame: 0, nodes, containers: [], errors: [], successes: [], width: 800, height: 600, scroll: "0%", focused: "", html, zone: "", missed: 0, closed: [],
})

describe("the way of extraction", () => {
  test.each([
    ["auto", "click Save", false, ["semantic_v3", "semantic", "skeleton"]], ["auto", "click the gear icon", false, ["semantic_v3", "semantic", "hybrid"]],
    ["semantic", "click Save", false, ["semantic", "skeleton"]], ["skeleton", "the top left corner", false, ["skeleton"]], ["hybrid", "x", false, ["hybrid"]], ["auto", "the icon", true, ["full"]],
  ] as const)("%s for %s (whole page asked for: %s)", (setting, query, full, modes) => {
    expect(modesFor(setting, query, full)).toEqual(modes)
  })

  test("words within words are no visual words", () => {
    expect(isVisual("stop the desktop installation")).toBe(false)
    expect(isVisual("What  is the price?")).toBe(true)
  })
})

describe("an element in the request", () => {
  test("has short keys, and only those that say something", () => {
    expect(nodeV3(raw("5", "Save"), "")).toEqual({ i: "5", r: "btn", n: "Save", xy: [5, 10], box: [0, 0, 10, 20] })
    expect(nodeV3(raw("f2_6", "", { role: "textbox", value: "v", state: ["required", "secret"], frame: 2, occluded: true }), "f2_6"))
      .toEqual({ i: "f2_6", r: "inp", v: "v", s: "required,secret", f: "2", occ: true, focused: true, xy: [5, 10], box: [0, 0, 10, 20] })
  })
})

describe("an open dialog", () => {
  test("is shown as elements that cover the page", () => {
    const shown = withDialog(page([raw("1", "Delete")]), { kind: "prompt", message: 'Name "x"?', initial: "a<b" })
    expect(shown.nodes.map((n) => [n.id, n.occluded])).toEqual([["1", true], ["dialog_text", false], ["dialog_accept", false], ["dialog_dismiss", false]])
    expect(shown.html).toBe('<body><p>x</p><div role="alertdialog" aria-modal="true" aria-label="The page says"><p>Name &quot;x&quot;?</p>' +
      '<input data-llm-id="dialog_text" value="a&lt;b"><button data-llm-id="dialog_accept">OK</button><button data-llm-id="dialog_dismiss">Cancel</button></div></body>')
  })

  test("that asks whether to leave says so", () => {
    const shown = withDialog(page([]), { kind: "beforeunload", message: "Unsaved", initial: "" })
    expect(shown.nodes.map((n) => [n.id, n.name])).toEqual([["dialog_accept", "Leave"], ["dialog_dismiss", "Cancel"]])
    expect(shown.html).toContain('<p>Unsaved</p><button data-llm-id="dialog_accept">Leave</button><button data-llm-id="dialog_dismiss">Cancel</button></div>')
  })

  test("of an alert has one button", () => {
    expect(withDialog(page([]), { kind: "alert", message: "Saved", initial: "" }).nodes.map((n) => n.id)).toEqual(["dialog_accept"])
  })
})

describe("frames", () => {
  test("are put where their parents left room", () => {
    expect(fill('<p>a</p><div data-stepledger-frame="t1"></div><div data-stepledger-frame="t2"></div>', new Map([["t1", "<b>$&</b>"]]))).toBe("<p>a</p><b>$&</b>")
  })

  test("are known by the ids of their elements", () => {
    const map = { roots: [], frames: { 0: 0, 2: 17 } }
    expect([frameOf(map, "5"), frameOf(map, "f2_9"), frameOf(map, "f3_1")]).toEqual([0, 17, 0])
  })
})

describe("a huge page", () => {
  const nodes = Array.from({ length: 1500 }, (_, i) => nodeV3(raw(String(i), i === 777 ? "Samsung Odyssey" : i === 778 ? "Add to cart" : `Product number ${i} with a long name that says what it is`, { box: [0, 30 * i, 100, 20] }), ""))

  test("is known to be one", () => {
    expect(getDomStats(nodes)).toMatchObject({ nodes: 1500, needsFiltering: true })
    expect(getDomStats(nodes.slice(0, 100)).needsFiltering).toBe(false)
  })

  test("is sent in part, with what stands beside what was named, in the page's order", () => {
    const part = filterDomForQuery(nodes, "Click Add to Cart for Samsung")
    const ids = part.tree.map((n) => Number(n.i))
    expect(ids).toContain(777)
    expect(ids).toContain(778)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(part).toMatchObject({ originalCount: 1500, filteredCount: part.tree.length, reason: "Filtered for 'Click Add to Cart for Samsung'" })
    expect(part.tree.length).toBeLessThanOrEqual(50)
    expect(part.tokenReduction).toBeGreaterThan(90)
  })

  test("keeps what the task names, whatever the budget", () => {
    const named = Array.from({ length: 80 }, (_, i) => nodeV3(raw(String(i), "Delete row", { box: [0, 30 * i, 100, 20] }), ""))
    expect(filterDomForQuery(named, "delete every row").filteredCount).toBe(80)
    expect(isNamed({ i: "1", r: "btn", n: "The" }, "the")).toBe(false)
  })

  test("where nothing fits, its beginning is sent", () => {
    expect(filterDomForQuery(nodes, "zzz").tree[0].i).toBe("0")
  })

  test("chunks are near each other and of one frame", () => {
    expect(chunkDomNodes([{ i: "1", r: "btn", xy: [0, 0] }, { i: "2", r: "btn", xy: [0, 90] }, { i: "3", r: "btn", xy: [0, 900] }, { i: "f1_4", r: "btn", f: "1", xy: [0, 900] }]).map((c) => c.nodes.length)).toEqual([2, 1, 1])
    expect(scoreChunkRelevance({ nodes: [], text: "Your orders" }, "open my order")).toBe(0.25)
  })
})

describe("hashes", () => {
  test("a picture's is of its brightness from left to right", () => {
    expect(hashOf(Array.from({ length: 72 }, (_, i) => i % 9))).toBe("1".repeat(64))
    expect(hashOf(Array.from({ length: 72 }, () => 7))).toBe("0".repeat(64))
  })

  test("a text's tells two texts apart", () => {
    expect(hashOfText("a")).toHaveLength(28)
    expect(new Set(Array.from({ length: 2000 }, (_, i) => hashOfText(`text ${i}`))).size).toBe(2000)
  })
})

describe("addresses", () => {
  test.each([
    ["chrome://newtab/", true], ["chrome-extension://abc/x.html", true], ["file:///etc/hosts", true], ["about:blank", true], ["https://chromewebstore.google.com/x", true],
    ["https://chrome.google.com/webstore/x", true], ["https://chrome.google.com/x", false], ["http://a.test/", false], ["", false],
  ])("%s can be acted on by no extension: %s", (address, restricted) => {
    expect(isRestricted(address)).toBe(restricted)
  })

  test("a permission is for a host, whatever the port", () => {
    expect(originOf("http://127.0.0.1:8484/x?y")).toBe("http://127.0.0.1/*")
    expect(originOf("chrome://newtab/")).toBeUndefined()
  })
})

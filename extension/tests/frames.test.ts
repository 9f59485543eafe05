import { afterEach, expect, test, vi } from "vitest"

import { captureTab, frameOf, frameWithFocus, mapOf, type RawCapture } from "../client/frames"

afterEach(() => vi.unstubAllGlobals())

interface Frame { id: number, html: (token: (frame: number) => string) => string, children: { frame: number, id: number }[], fails?: boolean }

// A tab whose roots stand in each other: each knows its children by the tokens they said.
function tab(frames: Frame[], allowed: string[] = []): { asked: { frame: number, start: number, startFrame: number, offset: { x: number, y: number } }[] } {
  const tokens = new Map<number, string>()
  const asked: { frame: number, start: number, startFrame: number, offset: { x: number, y: number } }[] = []
  const session = new Map<string, unknown>()
  const capture = (f: Frame, o: { frame: number, start: number, startFrame: number, offset: { x: number, y: number } }): RawCapture => {
    asked.push({ frame: o.frame, start: o.start, startFrame: o.startFrame, offset: o.offset })
    const id = o.frame === 0 ? String(o.start + 1) : `f${o.frame}_${o.start + 1}`
    return {
      url: `http://${f.id}.test/`, title: "", lastID: o.start + 1, lastFrame: o.startFrame + f.children.length, containers: [], errors: [`error ${f.id}`], successes: [], width: 1, height: 1, scroll: "0%",
      focused: f.id === 12 ? id : "", html: f.html((frame) => tokens.get(f.children.find((c) => c.frame === frame)!.id) ?? ""), zone: "",
      nodes: [{ id, frame: o.frame, role: "button", name: `of ${f.id}`, value: "", state: [], box: [0, 0, 1, 1], occluded: false, scroll: null }],
      frames: f.children.filter((c) => tokens.has(c.id)).map((c) => ({ token: tokens.get(c.id)!, frame: c.frame, box: [10 * c.frame, 5, 100, 100] })),
    }
  }
  vi.stubGlobal("chrome", {
    scripting: { executeScript: async ({ func }: { func?: unknown }) => func ? [{ result: ["http://closed.test/x", "http://11.test/", "data:text/html,x"] }] : frames.map((f) => ({ frameId: f.id })) },
    permissions: { contains: async ({ origins }: { origins: string[] }) => allowed.includes(origins[0]) },
    storage: { session: { get: async (k: string) => ({ [k]: session.get(k) }), set: async (v: object) => Object.entries(v).forEach(([k, x]) => session.set(k, x)) } },
    tabs: {
      get: async () => ({ id: 1, url: "http://0.test/" }),
      sendMessage: async (_tab: number, { call, args }: { call: string, args: unknown[] }, { frameId }: { frameId: number }) => {
        const f = frames.find((x) => x.id === frameId)!
        if (call === "hello" && frameId === 99) throw new Error("Receiving end does not exist.") // reached from its parent
        if (call === "hello") tokens.set(frameId, args[0] as string)
        if (call === "capture" && f.fails) throw new Error("it is gone")
        return { ok: call === "capture" ? capture(f, args[0] as Parameters<typeof capture>[1]) : null }
      },
    },
  })
  return { asked }
}

const hole = (token: string) => `<div data-stepledger-frame="${token}"></div>`

test("roots are merged in their order, each with numbers of its own and at its place", async () => {
  const { asked } = tab([
    { id: 0, html: (t) => `<main>${hole(t(1))}${hole(t(2))}</main>`, children: [{ frame: 1, id: 11 }, { frame: 2, id: 12 }] },
    { id: 11, html: (t) => `<i>${hole(t(3))}</i>`, children: [{ frame: 3, id: 13 }] },
    { id: 12, html: () => "<u></u>", children: [] }, { id: 13, html: () => "<s></s>", children: [] }, { id: 99, html: () => "", children: [] },
  ], ["http://11.test/*"])
  const page = await captureTab(1, { start: 40, startFrame: 2, full: false, limit: 100 })
  expect(page.nodes.map((n) => n.id)).toEqual(["41", "f1_42", "f3_43", "f2_44"])
  expect(page.html).toBe("<main><i><s></s></i><u></u></main>")
  expect(page).toMatchObject({ url: "http://0.test/", lastID: 44, lastFrame: 5, focused: "f2_44", missed: 0, closed: ["http://closed.test/*"], errors: ["error 0", "error 11", "error 13", "error 12"] })
  expect(asked.map((a) => [a.frame, a.start, a.startFrame, a.offset.x])).toEqual([[0, 40, 2, 0], [1, 41, 4, 10], [3, 42, 5, 30], [2, 43, 5, 20]])
  const map = await mapOf(1)
  expect(["41", "f1_42", "f3_43", "f2_44"].map((id) => frameOf(map, id))).toEqual([0, 11, 13, 12])
  expect(map.roots.map((r) => [r.frameId, r.parent])).toEqual([[0, 0], [11, 0], [13, 11], [12, 0]])
})

test("a frame that fails is left out, with what is in it", async () => {
  tab([
    { id: 0, html: (t) => `<main>${hole(t(1))}${hole(t(2))}</main>`, children: [{ frame: 1, id: 11 }, { frame: 2, id: 12 }] },
    { id: 11, html: () => "", children: [], fails: true }, { id: 12, html: () => "<u></u>", children: [] },
  ])
  expect(await captureTab(1, { start: 0, startFrame: 0, full: false, limit: 100 })).toMatchObject({ missed: 1, html: "<main><u></u></main>", lastID: 2 })
})

test("a top document that fails is an error with a code", async () => {
  tab([{ id: 0, html: () => "", children: [], fails: true }])
  await expect(captureTab(1, { start: 0, startFrame: 0, full: false, limit: 100 })).rejects.toMatchObject({ code: "PAGE_NOT_ANSWERING" })
})

test("keys without an element go down to the root that has the focus", async () => {
  const focus = new Map([[0, "a"], [11, "b"]]) // as each root tells it
  vi.stubGlobal("chrome", {
    tabs: {
      sendMessage: async (_tab: number, { args }: { args: string[][] }, { frameId }: { frameId: number }) =>
        ({ ok: args[0].includes(focus.get(frameId) ?? "") ? focus.get(frameId) : "" }),
    },
  })
  const root = (frameId: number, parent: number, token: string) => ({ frameId, parent, token, frame: frameId, box: [0, 0, 1, 1] as [number, number, number, number] })
  const map = { roots: [root(0, 0, ""), root(11, 0, "a"), root(12, 0, "c"), root(13, 11, "b")], frames: {} }
  expect(await frameWithFocus(1, map)).toBe(13)
  focus.set(0, "c")
  expect(await frameWithFocus(1, map)).toBe(12)
  focus.delete(0)
  expect(await frameWithFocus(1, map)).toBe(0)
  focus.set(0, "b") // a root tells of those below it alone
  expect(await frameWithFocus(1, map)).toBe(0)
})

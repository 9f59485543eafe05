import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

import { attach, contextOf, detach, watchDetach } from "../client/debugger"
import { interactiveElements, nameByAccessibility } from "../client/axtree"
import type { RawNode, Root } from "../client/frames"
import { decide, forgetDialogs, openDialog, watchDialogs } from "../client/dialogs"
import { isReal, performReal, pointInTab } from "../client/real"
import { type Around, performTrusted } from "../client/trusted"
import { type Perform, defaultSettings } from "../protocol"

type Command = [method: string, params?: Record<string, unknown>]

const order = (name: Perform["action"]["name"], target = "", text = "", to = ""): Perform =>
  ({ token: "t", action: { name, target, text, to, seconds: 0 }, expect: { role: "button", name: "Save" } })

const aimed = { id: "5", x: 10, y: 20, kind: "", checked: "", readonly: false, secret: false, role: "button", name: "Save" }

/** A page of which each function gives what the test says. */
const pageOf = (answers: Record<string, unknown>) => {
  const did: string[] = []
  const around: Around = {
    call: async (name: string, args: unknown[]) => {
      did.push(name)
      const answer = name in answers ? answers[name] : name === "performed" ? { state: "unknown" } : null
      return (typeof answer === "function" ? answer(...args) : answer) as never
    },
    inTab: async ({ x, y }) => ({ x: x + 100, y: y + 1000 }),
    dialog: new Promise(() => undefined),
  }
  const commands: Command[] = []
  const send = async (method: string, params?: object) => {
    did.push(method)
    commands.push([method, params as Record<string, unknown>])
    return {} as never
  }
  return { around, send, did, commands }
}

describe("performTrusted", () => {
  it("clicks where the frame is in the tab, once it is noted that it begins", async () => {
    const page = pageOf({ aimAt: aimed })
    expect(await performTrusted(order("click", "5"), page.send, page.around)).toEqual({ done: true })
    expect(page.did).toEqual(["performed", "aimAt", "began", ...Array(3).fill("Input.dispatchMouseEvent"), "ended"])
    expect(page.commands.map(([, p]) => [p!.type, p!.x, p!.y, p!.button])).toEqual([
      ["mouseMoved", 110, 1020, "none"], ["mousePressed", 110, 1020, "left"], ["mouseReleased", 110, 1020, "left"],
    ])
  })

  it("does nothing twice", async () => {
    const page = pageOf({ performed: { state: "done", result: { done: true, actualState: "x" } } })
    expect(await performTrusted(order("click", "5"), page.send, page.around)).toEqual({ done: true, actualState: "x" })
    expect(page.commands).toEqual([])
  })

  it("does nothing again that has begun, and of which nobody knows the end", async () => {
    const page = pageOf({ performed: { state: "begun", real: true }, aimAt: aimed })
    await expect(performTrusted(order("click", "5"), page.send, page.around)).rejects.toThrow("begun before")
    expect(page.commands).toEqual([])
  })

  it("drags from what the server was told of to a place, which has another name", async () => {
    const expected: unknown[] = []
    const page = pageOf({ aimAt: (id: string, expect: unknown) => { expected.push([id, expect]); return { ...aimed, id } }, inView: { hit: true, x: 50, y: 60 } })
    expect(await performTrusted(order("drag", "5", "", "6"), page.send, page.around)).toEqual({ done: true })
    expect(expected).toEqual([["6", undefined], ["5", { role: "button", name: "Save" }]])
    expect(page.commands.at(-1)).toEqual(["Input.dispatchMouseEvent", expect.objectContaining({ type: "mouseReleased", x: 150, y: 1060 })])
  })

  it("says what the page does not allow, and touches nothing", async () => {
    const page = pageOf({ aimAt: { error: { code: "ELEMENT_OCCLUDED", message: "covered" } } })
    expect(await performTrusted(order("click", "5"), page.send, page.around)).toEqual({ done: false, error: { code: "ELEMENT_OCCLUDED", message: "covered" } })
    expect(page.did).not.toContain("began")
    expect(page.commands).toEqual([])
  })

  it("ends where a dialog keeps the mouse from returning", async () => {
    const page = pageOf({ aimAt: aimed, ended: () => new Promise(() => undefined) })
    let open = () => {}
    page.around.dialog = new Promise<void>((resolve) => { open = resolve })
    const send = async (method: string, params?: object) => {
      if ((params as { type: string }).type !== "mouseReleased") return page.send(method, params)
      open()
      return new Promise<never>(() => undefined)
    }
    expect(await performTrusted(order("click", "5"), send, page.around)).toEqual({ done: true })
  })

  it("types over a field and checks what it holds, of a secret one without telling", async () => {
    const text = { ...aimed, kind: "text", role: "textbox" }
    let page = pageOf({ aimAt: text, focusAll: true, typed: { found: true, value: "JAS" }, isSpread: false })
    expect(await performTrusted(order("setValue", "5", "Jas"), page.send, page.around)).toEqual({ done: true, actualState: "JAS" })
    expect(page.commands.map(([, p]) => [p!.type, p!.key, p!.text])).toEqual([..."Jas"].flatMap((c) => [["keyDown", c, c], ["keyUp", c, undefined]]))
    page = pageOf({ aimAt: text, focusAll: true, typed: { found: true, value: "one\ntwo" }, isSpread: false })
    expect(await performTrusted(order("setValue", "5", "one\ntwo"), page.send, page.around)).toEqual({ done: true })
    expect(page.commands).toEqual([["Input.insertText", { text: "one\ntwo" }]])
    page = pageOf({ aimAt: { ...text, secret: true }, focusAll: true, typed: { found: true, value: "hunter2!" }, isSpread: false })
    expect(await performTrusted(order("setValue", "5", "hunter2"), page.send, page.around)).toEqual({ done: true })
    page = pageOf({ aimAt: text, focusAll: true, typed: { found: true, value: "" }, isSpread: false })
    const refused = await performTrusted(order("setValue", "5", "hunter2"), page.send, page.around)
    expect(refused.error?.code).toBe("VALUE_REFUSED")
    expect(JSON.stringify(refused)).not.toContain("hunter2")
  })

  it("presses the keys of a value on what hears keys, and asks it for nothing", async () => {
    const page = pageOf({ aimAt: { ...aimed, kind: "keys", role: "textbox" }, focusAll: true, isSpread: false })
    expect(await performTrusted(order("setValue", "5", "42"), page.send, page.around)).toEqual({ done: true })
    expect(page.commands.map(([, p]) => [p!.type, p!.key])).toEqual([["keyDown", "4"], ["keyUp", "4"], ["keyDown", "2"], ["keyUp", "2"]])
    expect(page.did).not.toContain("typed")
  })

  it("leaves to the page's side what has no key", async () => {
    for (const [name, kind] of [["setValue", "select"], ["setValue", "direct"], ["scroll", ""], ["upload", ""]] as const) {
      const page = pageOf({ aimAt: { ...aimed, kind }, perform: { done: true, actualState: "by the page" } })
      expect(await performTrusted(order(name, "5", "x"), page.send, page.around)).toEqual({ done: true, actualState: "by the page" })
      expect(page.commands).toEqual([])
    }
  })

  it("presses combinations with the keys held", async () => {
    const page = pageOf({})
    await performTrusted(order("press", "", "Control+Shift+a"), page.send, page.around)
    expect(page.commands.map(([, p]) => [p!.type, p!.key, p!.modifiers])).toEqual([
      ["rawKeyDown", "Control", 2], ["rawKeyDown", "Shift", 10], ["rawKeyDown", "A", 10], ["keyUp", "A", 10], ["keyUp", "Shift", 2], ["keyUp", "Control", 0],
    ])
    expect((await performTrusted(order("press", "", "nokey"), page.send, page.around)).error?.code).toBe("INVALID_ACTION")
  })
})

describe("the debugger of a tab", () => {
  const heard: { detach: ((source: { tabId?: number }, reason: string) => void)[], event: ((source: { tabId?: number }, method: string, params?: object) => void)[] } = { detach: [], event: [] }
  const stored: Record<string, unknown> = {}
  let attached = false
  let busy = false
  let context: object | undefined

  beforeEach(() => {
    attached = busy = false
    context = undefined
    for (const key of Object.keys(stored)) delete stored[key]
    heard.detach = []
    heard.event = []
    vi.stubGlobal("location", { origin: "chrome-extension://own" })
    vi.stubGlobal("chrome", {
      storage: { session: {
        get: async (key: string) => (key in stored ? { [key]: stored[key] } : {}),
        set: async (items: object) => void Object.assign(stored, items), remove: async (keys: string | string[]) => { for (const key of [keys].flat()) delete stored[key] },
      } },
      debugger: {
        attach: async () => { if (busy || attached) throw new Error("Another debugger is already attached to the tab with id: 7."); attached = true },
        detach: async () => { if (!attached) throw new Error("Debugger is not attached"); attached = false },
        sendCommand: async (_: object, method: string) => {
          if (!attached) throw new Error("Debugger is not attached to the tab with id: 7.")
          if (method === "Page.getFrameTree") return { frameTree: { frame: { id: "top" } } }
          if (method === "Runtime.enable" && context) for (const hear of heard.event) hear({ tabId: 7 }, "Runtime.executionContextCreated", { context })
          return {}
        },
        onDetach: { addListener: (f: never) => heard.detach.push(f) },
        onEvent: { addListener: (f: never) => heard.event.push(f), removeListener: (f: never) => { heard.event = heard.event.filter((g) => g !== f) } },
      },
    })
  })
  afterEach(() => { vi.unstubAllGlobals() })

  it("is attached once, also by a worker that does not remember, and given back", async () => {
    await attach(7)
    await attach(7)
    expect(attached).toBe(true)
    await detach(7)
    await detach(7)
    expect(attached).toBe(false)
  })

  it("is not taken again from a user who ended it, until the next task", async () => {
    watchDetach()
    const send = await attach(7)
    attached = false
    heard.detach[0]({ tabId: 7 }, "canceled_by_user")
    await expect(send("Page.enable")).rejects.toMatchObject({ code: "TRUSTED_INPUT_CANCELED" })
    await expect(attach(7)).rejects.toMatchObject({ code: "TRUSTED_INPUT_CANCELED" })
    await detach(7)
    await expect(attach(7)).resolves.toBeDefined()
  })

  it("says who has it, and that there is none", async () => {
    busy = true
    await expect(attach(7)).rejects.toMatchObject({ code: "TRUSTED_INPUT_BUSY" })
    vi.stubGlobal("chrome", {})
    expect(isReal({ ...defaultSettings, trusted: true })).toBe(false)
    await expect(attach(7)).rejects.toMatchObject({ code: "TRUSTED_INPUT_MISSING" })
  })

  it("is done without where it cannot be had, and nothing has happened then", async () => {
    busy = true
    expect(await performReal(7, 0, order("click", "5"), async (p) => p)).toBeUndefined()
  })

  it("answers dialogs with no and tells of them, until the next of the same message is decided otherwise", async () => {
    const sent: unknown[] = []
    Object.assign(chrome.debugger, { sendCommand: async (_: object, method: string, params: object) => void sent.push([method, params]) })
    watchDialogs()
    const open = async (type: string, message: string) => {
      heard.event.at(-1)!({ tabId: 7 }, "Page.javascriptDialogOpening", { type, message, defaultPrompt: "" })
      await new Promise((resolve) => setTimeout(resolve))
      return (sent.at(-1) as [string, { accept: boolean, promptText: string }])[1]
    }
    const map = { roots: [], frames: {} }
    expect(await openDialog(7, map)).toBeUndefined()
    expect(await open("beforeunload", "")).toEqual({ accept: false, promptText: "" })
    const asked = (await openDialog(7, map))!
    expect(asked).toEqual({ kind: "beforeunload", message: expect.stringContaining("Leave site?"), initial: "" })
    await forgetDialogs(7)
    await decide(7, { ...asked, text: "x" })
    expect(await open("confirm", "Another?")).toEqual({ accept: false, promptText: "" })
    expect(await open("beforeunload", "")).toEqual({ accept: true, promptText: "x" })
    expect(await open("beforeunload", "")).toEqual({ accept: false, promptText: "" })
    expect(await open("alert", "Saved")).toEqual({ accept: true, promptText: "" })
    expect(await openDialog(7, map)).toMatchObject({ kind: "alert", message: "Saved" })
  })

  it("finds where a point of a frame in a frame is", async () => {
    const root = (frameId: number, parent: number): Root => ({ frameId, parent, frame: frameId, token: `t${frameId}`, box: [0, 0, 0, 0] })
    const corners: Record<string, [number, number]> = { "0 t2": [100, 1000], "2 t3": [10, 20] }
    Object.assign(chrome, { tabs: { sendMessage: async (_: number, { args }: { args: [string, number, number] }, { frameId }: { frameId: number }) => {
      const corner = corners[`${frameId} ${args[0]}`]
      return { ok: corner ? { found: true, x: corner[0] + args[1], y: corner[1] + args[2] } : { found: false } }
    } } })
    expect(await pointInTab(7, [root(0, 0), root(2, 0), root(3, 2)], 3, { x: 1, y: 2 })).toEqual({ x: 111, y: 1022 })
    expect(await pointInTab(7, [root(0, 0)], 0, { x: 1, y: 2 })).toEqual({ x: 1, y: 2 })
    await expect(pointInTab(7, [root(0, 0), root(9, 0)], 9, { x: 1, y: 2 })).rejects.toMatchObject({ code: "ELEMENT_NOT_FOUND" })
  })

  it("finds the content script's world of the top document", async () => {
    const send = await attach(7)
    context = { id: 3, origin: "chrome-extension://own", auxData: { frameId: "top" } }
    expect(await contextOf(7, send)).toBe(3)
    context = { id: 4, origin: "chrome-extension://own", auxData: { frameId: "inner" } }
    expect(await contextOf(7, send)).toBeUndefined()
    expect(heard.event).toEqual([])
  })
})

describe("the tree of accessibility", () => {
  const node = (id: string, name: string, more: Partial<RawNode> = {}) => ({ id, name, role: "button", ...more }) as RawNode

  it("names elements where it has a name", async () => {
    const trees: Record<string, object> = {
      o0: { role: { value: "link" }, name: { value: " Save  it " } }, o1: { ignored: true, name: { value: "No" } }, o2: { role: { value: "LabelText" }, name: { value: "" } },
      o3: { role: { value: "button" }, name: { value: "Savenow" } }, o4: { role: { value: "generic" }, name: { value: "Other" } },
    }
    const sent: string[] = []
    const send = async (method: string, params?: object) => {
      sent.push(method)
      if (method === "Runtime.evaluate") return { result: { objectId: "list" } } as never
      if (method === "Runtime.getProperties") return { result: [...Object.keys(trees).map((objectId, i) => ({ name: String(i), value: { objectId } })), { name: "5", value: {} }, { name: "length" }] } as never
      return { nodes: [trees[(params as { objectId: string }).objectId]] } as never
    }
    const nodes = [node("1", "a"), node("2", "b"), node("3", "c"), node("4", "Save now"), node("5", "row", { ownName: true }), node("6", "gone")]
    await nameByAccessibility({ send, contextId: 1 }, nodes)
    expect(nodes.map((n) => [n.role, n.name])).toEqual([["link", "Save it"], ["button", "b"], ["button", "c"], ["button", "Save now"], ["button", "row"], ["button", "gone"]])
    expect(sent.at(-1)).toBe("Runtime.releaseObjectGroup")
  })

  it("lists what can be acted on, frame by frame", async () => {
    const send = async (method: string, params?: object) => {
      if (method === "Page.getFrameTree") return { frameTree: { frame: { id: "top" }, childFrames: [{ frame: { id: "inner" } }] } } as never
      const { frameId } = params as { frameId: string }
      return { nodes: [
        { role: { value: "button" }, name: { value: `Save ${frameId}` }, backendDOMNodeId: 4, properties: [{ name: "disabled", value: { value: true } }, { name: "invalid", value: { value: "false" } }] },
        { role: { value: "button" }, name: { value: "" }, backendDOMNodeId: 5 }, { role: { value: "paragraph" }, name: { value: "x" }, backendDOMNodeId: 6 },
      ] } as never
    }
    expect((await interactiveElements(send)).map((e) => [e.frameId, e.name, e.state])).toEqual([["top", "Save top", ["disabled"]], ["inner", "Save inner", ["disabled"]]])
  })
})

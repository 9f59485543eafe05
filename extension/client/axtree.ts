/**
 * Names and roles by the browser's tree of accessibility, where the debugger is attached:
 * what an element is called for those who cannot see it. The page's own names stay where
 * the tree has none. Frames in a process of their own are asked by their session.
 */

import type { Send } from "./debugger"
import type { RawNode } from "./frames"

interface Value { value?: unknown }
interface AXNode { ignored?: boolean, role?: Value, name?: Value, value?: Value, properties?: { name: string, value: Value }[], backendDOMNodeId?: number }

const MOST = 100 // characters of a name

/** Elements are asked one by one: the whole tree has every text of a page. */
export interface Named { send: Send, sessionId?: string, contextId: number }

/** Renames nodes of one root by the tree. Elements that are gone keep their names. */
export async function nameByAccessibility({ send, sessionId, contextId }: Named, nodes: RawNode[]): Promise<void> {
  if (nodes.length === 0) return
  const list = await send<{ result: { objectId?: string } }>("Runtime.evaluate", {
    contextId, objectGroup: "stepledger", expression: `stepledger.elementsOf(...${JSON.stringify(nodes.map((n) => n.id))})`,
  }, sessionId)
  if (!list.result.objectId) return
  try {
    const items = await send<{ result: { name: string, value?: { objectId?: string } }[] }>("Runtime.getProperties", { objectId: list.result.objectId, ownProperties: true }, sessionId)
    for (const { name, value } of items.result) {
      const node = nodes[Number(name)]
      if (!node || !value?.objectId) continue // the list's length, or an element that is gone
      const tree = await send<{ nodes: AXNode[] }>("Accessibility.getPartialAXTree", { objectId: value.objectId, fetchRelatives: false }, sessionId)
      if (tree.nodes[0]) rename(node, tree.nodes[0])
    }
  } finally {
    await send("Runtime.releaseObjectGroup", { objectGroup: "stepledger" }, sessionId)
  }
}

const text = (v?: Value) => (typeof v?.value === "string" ? v.value.replace(/\s+/g, " ").trim() : "")

/** rename takes a name unless it differs in spaces alone, which only a style makes, and a
 * role unless it is the browser's own. */
const rename = (node: RawNode, { ignored, role, name }: AXNode): void => {
  if (ignored) return
  const called = text(name).slice(0, MOST)
  if (called !== "" && !node.ownName && called.replaceAll(" ", "") !== node.name.replace(/\s+/g, "")) node.name = called
  const is = text(role)
  if (/^[a-z]/.test(is) && is !== "generic" && is !== "none") node.role = is
}

const INTERACTIVE = new Set(["button", "link", "textbox", "searchbox", "combobox", "listbox", "option", "checkbox", "radio", "switch", "slider", "spinbutton",
  "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem"])

/** An element of the tree, by the browser's own number for it. */
export interface AXElement { frameId: string, backendNodeId: number, role: string, name: string, value: string, state: string[] }

/** Lists what can be acted on in all frames of one process, each asked by itself: the tree of
 * a document leaves out those of its frames. */
export async function interactiveElements(send: Send, sessionId?: string): Promise<AXElement[]> {
  const { frameTree } = await send<{ frameTree: FrameTree }>("Page.getFrameTree", {}, sessionId)
  const found: AXElement[] = []
  for (const frameId of framesOf(frameTree)) {
    const { nodes } = await send<{ nodes: AXNode[] }>("Accessibility.getFullAXTree", { frameId }, sessionId)
    for (const n of nodes) {
      const [role, name] = [text(n.role), text(n.name).slice(0, MOST)]
      if (n.ignored || !INTERACTIVE.has(role) || name === "" || n.backendDOMNodeId === undefined) continue
      found.push({ frameId, backendNodeId: n.backendDOMNodeId, role, name, value: text(n.value), state: stateOf(n) })
    }
  }
  return found
}

interface FrameTree { frame: { id: string }, childFrames?: FrameTree[] }
const framesOf = (tree: FrameTree): string[] => [tree.frame.id, ...(tree.childFrames ?? []).flatMap(framesOf)]

const STATES = new Set(["disabled", "checked", "expanded", "selected", "required", "readonly", "invalid", "focused"])
const stateOf = (n: AXNode) => (n.properties ?? []).filter((p) => STATES.has(p.name) && ![false, "false"].includes(p.value.value as string | boolean)).map((p) => p.name)

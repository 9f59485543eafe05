/**
 * Dialogs of a page: how an open one is found, and how what the server decided about it is
 * carried out. They are answered with no at once, since a page that waits for its user can
 * be neither read nor acted on; where the server then says yes, the next one with the same
 * message gets that, and the action that opened it is done again. It is the page's own
 * world that keeps them from the screen (page/world/dialogs.ts); those that come past it,
 * such as whether a page may be left, are caught by the debugger where it is attached.
 */

import type { PageDialog } from "../protocol"
import type { TabMap } from "./frames"
import { call, PageError } from "./page"
import type { OpenDialog } from "./state"

interface Opening { type: string, message: string, defaultPrompt?: string }
interface Decided { kind: string, message: string, accept: boolean, text: string }

const openedKey = (tabId: number) => `dialog_${tabId}`
const decidedKey = (tabId: number) => `decided_${tabId}`
const memory = () => chrome.storage.session

/** Catches the dialogs of tabs that the debugger is attached to. It is to be called when the
 * worker starts: a dialog may be what starts it. */
export function watchDialogs(): void {
  chrome.debugger?.onEvent.addListener((source, method, params) => {
    if (method === "Page.javascriptDialogOpening" && source.tabId !== undefined) void answer(source, params as unknown as Opening)
  })
}

async function answer(source: chrome.debugger.DebuggerSession, opening: Opening): Promise<void> {
  const tabId = source.tabId!
  const dialog = dialogOf(opening)
  const known = (await memory().get(decidedKey(tabId)))[decidedKey(tabId)] as Decided | undefined
  const decided = known?.kind === dialog.kind && known.message === dialog.message ? known : undefined
  if (decided) await memory().remove(decidedKey(tabId))
  else await memory().set({ [openedKey(tabId)]: dialog })
  const answered = { accept: decided?.accept ?? dialog.kind === "alert", promptText: decided?.text ?? "" }
  await chrome.debugger.sendCommand(source, "Page.handleJavaScriptDialog", answered).catch(() => undefined) // the user was faster
}

// The browser does not tell a page's own words when it is asked whether to leave it.
function dialogOf({ type, message, defaultPrompt }: Opening): PageDialog {
  if (type === "beforeunload") return { kind: "beforeunload", message: message || "Leave site? Changes you made may not be saved.", initial: "" }
  return { kind: type as PageDialog["kind"], message, initial: defaultPrompt ?? "" }
}

/** Forgets what the debugger caught, because an action begins. */
export const forgetDialogs = (tabId: number): Promise<void> => memory().remove([openedKey(tabId), decidedKey(tabId)])

/** A dialog that the page has opened since. */
export async function openDialog(tabId: number, map: TabMap): Promise<OpenDialog | undefined> {
  const caught = (await memory().get(openedKey(tabId)))[openedKey(tabId)] as PageDialog | undefined
  if (caught) return caught
  for (const { frameId } of map.roots) {
    try {
      const dialog = await call<OpenDialog | null>(tabId, frameId, "openDialog", [], 1500)
      if (dialog) return { ...dialog, frameId }
    } catch (e) {
      if (!(e instanceof PageError)) throw e // gone, or without the part in the page's own world
    }
  }
  return undefined
}

/** Decides what the next dialog with the message of this one is answered with. */
export async function decide(tabId: number, dialog: OpenDialog): Promise<void> {
  const decided: Decided = { kind: dialog.kind, message: dialog.message, accept: true, text: dialog.text ?? dialog.initial }
  if (dialog.frameId === undefined) await memory().set({ [decidedKey(tabId)]: decided })
  else await call(tabId, dialog.frameId, "answerDialog", [decided])
}

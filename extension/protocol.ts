/**
 * What the parts of the extension say to each other: the worker, the pages' side and the
 * panel. Everything here is JSON. Nothing of it is kept in the memory of the worker,
 * which may end at any message.
 */

import type { Answer, Schemas } from "@stepledger/client"

/** Why something could not be done: a code of the server's contract, or one of these. */
export type ErrorCode =
  | "ELEMENT_NOT_FOUND" | "ELEMENT_NOT_VISIBLE" | "ELEMENT_DISABLED" | "ELEMENT_OCCLUDED" | "ELEMENT_NOT_EDITABLE"
  | "OPTION_NOT_FOUND" | "VALUE_REFUSED" | "NOTHING_TO_SCROLL" | "INVALID_ACTION" | "INVALID_URL" | "NAVIGATION_FAILED"
  | "NO_HISTORY" | "NO_FILE" | "VALUE_LOST" | "RESTRICTED_PAGE" | "NO_PERMISSION" | "TAB_GONE" | "PAGE_NOT_ANSWERING" | "DIALOG_OPEN"
  | (string & {})

export interface Failure { code: ErrorCode, message: string }

/** An action as parsed from the server's text: click("14"), setValue("14", "Jas"). */
export interface Action {
  name: "click" | "setValue" | "press" | "type" | "hover" | "drag" | "upload" | "scroll" | "wait" | "navigate" | "goBack" | "finish" | "fail"
  /** Id of the element, "" where there is none. */
  target: string
  /** Value, key, text, address, direction, file or message. */
  text: string
  /** Id of the element that a drag ends on. */
  to: string
  seconds: number
}

/** What a frame is asked; a function of the page's side (page/index.ts), or one of act/. */
export interface FrameRequest { stepledger: 1, call: string, args: unknown[] }
export type FrameReply = { ok: unknown } | { error: Failure }

/** perform(): done in the frame of the element, at most once for a token. */
export interface Perform {
  /** Drawn for each action when it is about to begin. */
  token: string
  action: Action
  /** What the server was told of the target; another role or name is another element. */
  expect?: { role: string, name: string }
  /** Last numbers of elements and frames in the tab: what is found in place of a vanished
   * element has a number after them. */
  ids?: { id: number, frame: number }
  /** A file for upload, chosen by the user in the panel; base64. */
  file?: { name: string, type: string, data: string }
}

/** What came of perform(). */
export interface ActResult {
  done: boolean
  error?: Failure
  /** The element used in place of a vanished one. */
  recovered?: string
  /** Last numbers in the tab now, where some were given. */
  ids?: { id: number, frame: number }
  /** A field's content afterwards where it differs; never of a secret field. */
  actualState?: string
}

/** performed(token): what a document knows of an action, after the worker died. real: it was
 * of the real mouse or keyboard, of which only the worker knows the end. */
export type Performed = { state: "done", result: ActResult } | { state: "begun", real?: true } | { state: "unknown" }

/** A dialog of the page (alert, confirm, prompt, or beforeunload: whether to leave it): it is shown to the server as elements, and its
 * ids are clicked like any other: dialog_accept, dialog_dismiss, setValue("dialog_text", ...). */
export interface PageDialog { kind: "alert" | "confirm" | "prompt" | "beforeunload", message: string, initial: string }

/** Where a run is. The name of a phase says what comes next. */
export type Phase =
  | "look" // capture the page
  | "ask" // send the stored body
  | "act" // do the stored answer's next action
  | "settle" // wait until the page is stable
  | "question" // the user has to answer
  | "permission" // the user has to allow the site
  | "file" // the user has to choose a file for upload
  | "held" // a person has taken over, here or at the server
  | "trouble" // the server or the page is out of reach; tried again by itself, or by the user
  | "done" | "failed" | "stopped"

/** The record `task_<tabId>` of chrome.storage.local. The first four are the contract's. */
export interface TaskRecord {
  taskId: string
  sessionId: string
  url: string
  /** Milliseconds; a record is forgotten 30 minutes after the last. */
  timestamp: number
  tabId: number
  /** Names the run from its beginning; there is no task id before the first answer. */
  runId: string
  query: string
  phase: Phase
  /** What the panel says of the phase: a question, an error, the final message. */
  message: string
  missing?: string[]
  failure?: Failure
  /** Origins to be allowed, in phase permission. */
  origins?: string[]
  /** Sites of frames of the page that are left out of it, since they are not allowed. */
  closedFrames?: string[]
  turns: number
  costUSD?: string
  /** What is about to be done, without values of secret fields, and where it is highlighted. */
  about?: { text: string, target: string }
  /** The rest is the loop's own (client/state.ts). */
  loop: unknown
}

/** One line of what the panel shows: the list `log_<runId>` of chrome.storage.local. */
export interface LogEntry {
  at: number
  kind: "user" | "thought" | "action" | "verdict" | "question" | "notice" | "end"
  text: string
  stepIndex?: number
  outcome?: "succeeded" | "failed" | "undecided"
  confidence?: number
  reason?: string
}

/** What the panel asks of the worker; the answer says only that it was taken. */
export type PanelRequest =
  | { panel: 1, do: "start", tabId: number, query: string }
  | { panel: 1, do: "reply", tabId: number, text: string }
  | { panel: 1, do: "stop" | "takeOver" | "handBack" | "retry" | "forget" | "wake", tabId: number }
  | { panel: 1, do: "file", tabId: number, name: string, type: string, data: string }
  | { panel: 1, do: "login", email: string, password: string }
  | { panel: 1, do: "logout" }
export type PanelReply = { ok: true } | { error: Failure }

/** The key `settings` of chrome.storage.local. */
export interface Settings {
  server: string
  /** Milliseconds. The contract's are 500, 300, 500 and 5000. */
  timing: { minWait: number, domSettled: number, networkIdle: number, maxWait: number }
  extraction: "auto" | "semantic_v3" | "semantic" | "skeleton" | "hybrid" | "full"
  /** Real mouse and keyboard by the debugger, where the user has allowed it. */
  trusted: boolean
  sendScreenshots: boolean
  /** The panel outlines the target of an action on its page; true where it is not set. */
  highlight?: boolean
}

export const defaultSettings: Settings = {
  server: "http://127.0.0.1:8484",
  timing: { minWait: 500, domSettled: 300, networkIdle: 500, maxWait: 5000 },
  extraction: "auto", trusted: false, sendScreenshots: true,
}

/** The key `login` of chrome.storage.local; the password is nowhere. */
export interface Login { accessToken: string, expiresAt: string, email: string }

export type { Answer, Schemas }

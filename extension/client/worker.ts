/**
 * What wakes the worker: its own start, the browser's, an alarm, the panel, pages, tabs and
 * permissions. Each makes every open run go on.
 */

import type { PanelReply, PanelRequest } from "../protocol"
import { originOf, registerScripts } from "./permissions"
import { watchDialogs } from "./dialogs"
import { watchDetach } from "./real"
import { Runner } from "./run"
import type { Said } from "./request"
import type { SaidLog } from "./said"
import { login, logout } from "./server"
import { loadRun, loadRuns } from "./store"

const alarm = "resume"
const heartbeat = 20_000 // milliseconds; a worker ends after 30 s without a call of the browser

/** Wires everything; called once, synchronously, at the start of the worker. */
export function startWorker(): Runner {
  const runner = new Runner()
  watchDetach()
  watchDialogs()
  chrome.runtime.onStartup.addListener(() => void wake(runner))
  chrome.runtime.onInstalled.addListener(() => void registerScripts())
  chrome.alarms.onAlarm.addListener(() => void wake(runner))
  chrome.runtime.onMessage.addListener((message, sender, answer) => receive(runner, message, sender, answer))
  chrome.runtime.onConnect.addListener(() => void wake(runner))
  chrome.action.onClicked.addListener((tab) => clicked(runner, tab))
  chrome.permissions.onAdded.addListener(() => void allowed(runner))
  chrome.permissions.onRemoved.addListener(() => void registerScripts())
  chrome.storage.onChanged.addListener((changes, area) => {
    if (area === "local" && changes.login?.newValue) void toAll(runner, "loggedIn")
  })
  listenToTabs(runner)
  setInterval(() => void beat(runner), heartbeat)
  void wake(runner)
  return runner
}

async function beat(runner: Runner): Promise<void> {
  if (await runner.isOpen()) await chrome.runtime.getPlatformInfo()
}

// wake makes open runs go on. The alarm rings as long as there are any.
async function wake(runner: Runner): Promise<void> {
  await runner.resume()
  if (await runner.isOpen()) await ring()
  else await chrome.alarms.clear(alarm)
}

const ring = () => chrome.alarms.create(alarm, { periodInMinutes: 0.5 })

// clicked is the button in the toolbar. The click lets the extension see the tab's address,
// so that the panel can ask for its site.
function clicked(runner: Runner, tab: chrome.tabs.Tab): void {
  if (tab.id === undefined) return
  if (chrome.sidePanel?.open) void chrome.sidePanel.open({ windowId: tab.windowId })
  else void chrome.windows.create({ url: chrome.runtime.getURL(`sidepanel.html?tab=${tab.id}`), type: "popup", width: 420, height: 760 })
  void runner.take(tab.id, { type: "granted" })
}

async function allowed(runner: Runner): Promise<void> {
  await registerScripts()
  await toAll(runner, "granted")
}

async function toAll(runner: Runner, type: "granted" | "loggedIn"): Promise<void> {
  for (const run of await loadRuns()) await runner.take(run.tabId, { type })
  await runner.resume()
}

function receive(runner: Runner, message: unknown, sender: chrome.runtime.MessageSender, answer: (reply: unknown) => void): boolean {
  const m = message as Partial<PanelRequest> & { stepledgerSaid?: { kind: string, text: string } }
  if (m?.stepledgerSaid && sender.tab?.id !== undefined) {
    const tabId = sender.tab.id
    void keep(runner.said, tabId, { ...m.stepledgerSaid, at: Date.now() })
    return false
  }
  if (m?.panel !== 1 || !sender.url?.startsWith(chrome.runtime.getURL(""))) return false // pages may not command it
  panel(runner, m as PanelRequest).then(answer, (e: unknown) => answer({ error: { code: "INTERNAL_ERROR", message: String(e) } }))
  return true
}

async function keep(kept: SaidLog, tabId: number, said: Said): Promise<void> {
  if (await loadRun(tabId)) await kept.keep(tabId, said)
}

async function panel(runner: Runner, m: PanelRequest): Promise<PanelReply> {
  await ring() // before anything begins that a new worker would have to end
  switch (m.do) {
    case "start": return runner.start(m.tabId, m.query)
    case "reply": return runner.take(m.tabId, { type: "reply", text: m.text })
    case "stop": case "takeOver": case "handBack": case "retry": return runner.take(m.tabId, { type: m.do })
    case "file": return runner.take(m.tabId, { type: "chosen" }, { file: { name: m.name, type: m.type, data: m.data } })
    case "forget": return runner.forget(m.tabId)
    case "wake": {
      await runner.recover(m.tabId)
      await runner.resume()
      return { ok: true }
    }
    case "login": return login(m.email, m.password)
    case "logout": await logout(); return { ok: true }
  }
}

function listenToTabs(runner: Runner): void {
  chrome.tabs.onRemoved.addListener((tabId) => void runner.take(tabId, { type: "gone" }))
  chrome.tabs.onReplaced.addListener((added, removed) => void runner.take(removed, { type: "moved", tabId: added }))
  chrome.tabs.onUpdated.addListener((tabId, change) => {
    if (change.url && originOf(change.url)) void left(runner, tabId)
  })
}

// left: the task goes on where it stood at a page that nobody can act on.
async function left(runner: Runner, tabId: number): Promise<void> {
  const run = await loadRun(tabId)
  if (run?.phase === "trouble" && run.failure?.code === "RESTRICTED_PAGE") await runner.take(tabId, { type: "retry" })
}

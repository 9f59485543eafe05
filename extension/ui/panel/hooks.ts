/**
 * What the panel does beside drawing: it follows storage and the active tab, wakes the
 * worker, has targets outlined, tells news to screen readers, and keeps the focus where
 * something can be done.
 */

import { useEffect, useReducer, useRef, useState, type Dispatch } from "preact/hooks"

import type { TaskRecord } from "../../protocol"
import { outline, targetOf } from "../highlight"
import { newsOf, type Seen } from "../news"
import { emptyPanel, isOpen, panelAfter, type PanelEvent, type PanelState } from "../state"
import { watchActiveTab } from "../tabs"
import { ask, WAKE_EVERY } from "../worker"

/** The state, from storage and the active tab. Changes that come while storage is being read are applied after it. */
export function usePanelState(): [PanelState, Dispatch<PanelEvent>] {
  const [state, tell] = useReducer(panelAfter, emptyPanel)
  useEffect(() => {
    const waiting: PanelEvent[] = []
    let read = false
    const changed = (changes: Record<string, chrome.storage.StorageChange>, area: string): void => {
      if (area !== "local") return
      if (read) tell({ on: "changed", changes })
      else waiting.push({ on: "changed", changes })
    }
    chrome.storage.onChanged.addListener(changed)
    const end = watchActiveTab((tabId) => tell({ on: "activated", tabId }))
    void chrome.storage.local.get(null).then((items) => {
      read = true
      tell({ on: "stored", items })
      waiting.forEach(tell)
    })
    return () => {
      chrome.storage.onChanged.removeListener(changed)
      end()
    }
  }, [])
  return [state, tell]
}

/** Asks the worker to go on with open runs: at once, and as long as there are some; and to
 * find the task of a tab whose record is lost. */
export function useWake(state: PanelState): void {
  const open = Object.values(state.tasks).filter(isOpen).map((task) => task.tabId).sort((a, b) => a - b).join(" ")
  useEffect(() => {
    if (open === "") return
    const wake = (): void => open.split(" ").forEach((tabId) => void ask({ panel: 1, do: "wake", tabId: Number(tabId) }))
    wake()
    const timer = setInterval(wake, WAKE_EVERY)
    return () => clearInterval(timer)
  }, [open])
  const { activeTab } = state
  const unknown = state.ready && activeTab !== null && !state.tasks[activeTab] && state.login !== null
  useEffect(() => {
    if (unknown) void ask({ panel: 1, do: "wake", tabId: activeTab })
  }, [unknown, activeTab])
}

/** Outlines the target of the task in view, and takes the outline away after it. */
export function useHighlight(task: TaskRecord | undefined, wanted: boolean): void {
  const target = targetOf(task, wanted)
  useEffect(() => {
    if (!target) return
    const { tabId } = target
    void outline(tabId, target.target)
    return () => void outline(tabId, "")
  }, [target?.tabId, target?.target])
}

/** What a screen reader is to be told. */
export function useNews(state: PanelState, task: TaskRecord | undefined): { quiet: string, urgent: string } {
  const before = useRef<Seen | null>(null)
  const [news, setNews] = useState({ quiet: "", urgent: "" })
  const log = (task && state.logs[task.runId]) ?? []
  useEffect(() => {
    if (!state.ready) return
    const seen = { task, log }
    const found = before.current && newsOf(before.current, seen)
    before.current = seen
    if (found) setNews(found.urgent ? { quiet: "", urgent: found.text } : { quiet: found.text, urgent: "" })
  }, [state.ready, task?.runId, task?.phase, task?.message, log.length])
  return news
}

/** Moves the focus to what comes next when the control that had it is gone with what it belonged to. */
export function useFocusKept(what: string): void {
  const had = useRef(false)
  useEffect(() => {
    const noted = (): void => void (had.current = true)
    document.addEventListener("focusin", noted)
    return () => document.removeEventListener("focusin", noted)
  }, [])
  useEffect(() => {
    const lost = document.activeElement === null || document.activeElement === document.body
    if (had.current && lost) document.querySelector<HTMLElement>("main textarea, main input:not([type=checkbox]), main button.first, main button")?.focus()
  }, [what])
}

/**
 * The options: the server, how it works, allowed sites, privacy, and what is stored. All of
 * it is in chrome.storage and chrome.permissions; a change holds at once.
 */

import { useEffect, useReducer, useState } from "preact/hooks"

import type { Settings } from "../../protocol"
import { emptyPanel, isOpen, panelAfter, type PanelState } from "../state"
import { t } from "../texts"
import { Behaviour } from "./behaviour"
import { Clear, Privacy } from "./privacy"
import { Server } from "./server"
import { Sites } from "./sites"

/** Changes some settings and leaves the rest, also those this page does not show. */
export type Change = (change: Partial<Settings>) => Promise<void>

export function Options() {
  const [state, tell] = useReducer(panelAfter, emptyPanel)
  const [said, setSaid] = useState("")
  useEffect(() => {
    const changed = (changes: Record<string, chrome.storage.StorageChange>, area: string): void => {
      if (area === "local") tell({ on: "changed", changes })
    }
    chrome.storage.onChanged.addListener(changed)
    void chrome.storage.local.get(null).then((items) => tell({ on: "stored", items }))
    return () => chrome.storage.onChanged.removeListener(changed)
  }, [])
  const change: Change = async (changes) => {
    const { settings } = await chrome.storage.local.get("settings")
    await chrome.storage.local.set({ settings: { ...(settings as object | undefined), ...changes } })
    setSaid(t("options.saved"))
  }
  if (!state.ready) return null
  return (
    <main class="options">
      <h1>{t("options.title")}</h1>
      <Server key={state.settings.server} settings={state.settings} busy={openTabs(state).length > 0} loggedIn={state.login !== null} change={change} say={setSaid} />
      <Behaviour settings={state.settings} change={change} />
      <Sites say={setSaid} />
      <Privacy />
      <Clear openTabs={openTabs(state)} say={setSaid} />
      <p role="status" class="said">{said}</p>
    </main>
  )
}

function openTabs(state: PanelState): number[] {
  return Object.values(state.tasks).filter(isOpen).map((task) => task.tabId)
}

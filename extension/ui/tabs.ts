/**
 * The tab whose page the person looks at. Beside a page that is the active tab of the
 * panel's window; where there is no side panel, and this document is a tab or a window of
 * its own, it is the last tab that was active and is not this one, at first the one in
 * ?tab=.
 */

/** Calls with the id of the tab at once and whenever it changes; gives what ends that. */
export function watchActiveTab(tell: (tabId: number | null) => void): () => void {
  let own: number | undefined
  let alone = false // in a window of its own
  const here = async (): Promise<void> => {
    const [tab, window] = await Promise.all([chrome.tabs.getCurrent(), chrome.windows.getCurrent()])
    own = tab?.id
    alone = own !== undefined
    const given = Number(new URLSearchParams(location.search).get("tab"))
    if (given > 0) return tell(given)
    const [active] = await chrome.tabs.query({ active: true, ...(window.id === undefined ? {} : { windowId: window.id }) })
    if (active?.id !== undefined && active.id !== own) tell(active.id)
    else tell(null)
  }
  const changed = async (info: { tabId: number, windowId: number }): Promise<void> => {
    if (info.tabId === own) return
    const window = alone ? undefined : await chrome.windows.getCurrent()
    if (alone || window?.id === info.windowId) tell(info.tabId)
  }
  const listener = (info: { tabId: number, windowId: number }): void => void changed(info)
  chrome.tabs.onActivated.addListener(listener)
  void here()
  return () => chrome.tabs.onActivated.removeListener(listener)
}

/** Brings a tab and its window to the front. */
export async function goToTab(tabId: number): Promise<void> {
  const tab = await chrome.tabs.update(tabId, { active: true })
  if (tab) await chrome.windows.update(tab.windowId, { focused: true })
}

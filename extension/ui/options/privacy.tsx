/**
 * What is sent where, and how to remove what is stored. The same sentences make the
 * privacy text of the store (store/listing.js).
 */

import { useState } from "preact/hooks"

import { t, type TextKey } from "../texts"
import { ask } from "../worker"

const SENTENCES: TextKey[] = ["privacy.page", "privacy.screenshot", "privacy.query", "privacy.nowhere", "privacy.stored", "privacy.server"]

export function Privacy() {
  return (
    <section aria-labelledby="privacy">
      <h2 id="privacy">{t("options.privacy.title")}</h2>
      <ul>{SENTENCES.map((key) => <li key={key}>{t(key)}</li>)}</ul>
      <p><a href={t("privacy.address")} target="_blank" rel="noreferrer">{t("privacy.link")}</a></p>
    </section>
  )
}

export function Clear({ openTabs, say }: { openTabs: number[], say: (text: string) => void }) {
  const [asked, setAsked] = useState(false)
  const clear = async (): Promise<void> => {
    await Promise.all(openTabs.map((tabId) => ask({ panel: 1, do: "forget", tabId }))) // answered once the server was told
    await ask({ panel: 1, do: "logout" })
    await Promise.all([chrome.storage.local.clear(), chrome.storage.session?.clear()])
    setAsked(false)
    say(t("options.clear.done"))
  }
  return (
    <section aria-labelledby="clear">
      <h2 id="clear">{t("options.clear.title")}</h2>
      <p class="hint">{t("options.clear.hint")}</p>
      {asked
        ? (
          <div role="group" aria-labelledby="clear" class="controls">
            <button type="button" class="stop" onClick={() => void clear()}>{t("options.clear.sure")}</button>
            <button type="button" ref={(button) => button?.focus()} onClick={() => setAsked(false)}>{t("options.clear.no")}</button>
          </div>
        )
        : <button type="button" onClick={() => setAsked(true)}>{t("options.clear.button")}</button>}
    </section>
  )
}

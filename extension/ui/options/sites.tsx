/**
 * The sites a person has allowed, as Chrome has them. Removing one takes effect at once.
 */

import { useEffect, useState } from "preact/hooks"

import { siteName } from "../address"
import { t } from "../texts"

export function Sites({ say }: { say: (text: string) => void }) {
  const [sites, setSites] = useState<string[]>([])
  useEffect(() => {
    const read = (): void => void chrome.permissions.getAll().then(({ origins = [] }) => setSites([...origins].sort()))
    chrome.permissions.onAdded.addListener(read)
    chrome.permissions.onRemoved.addListener(read)
    read()
    return () => {
      chrome.permissions.onAdded.removeListener(read)
      chrome.permissions.onRemoved.removeListener(read)
    }
  }, [])
  const remove = async (origin: string): Promise<void> => {
    const gone = await chrome.permissions.remove({ origins: [origin] }).catch(() => false)
    say(t(gone ? "options.sites.removed" : "options.sites.kept", { site: siteName(origin) }))
    if (gone) document.getElementById("sites")?.focus() // its button is gone
  }
  return (
    <section aria-labelledby="sites">
      <h2 id="sites" tabIndex={-1}>{t("options.sites.title")}</h2>
      <p class="hint">{t("options.sites.hint")}</p>
      {sites.length === 0 ? <p>{t("options.sites.none")}</p> : (
        <ul class="sites">
          {sites.map((origin) => (
            <li key={origin}>
              <span>{siteName(origin)}</span>
              <button type="button" onClick={() => void remove(origin)}>{t("options.sites.remove", { site: siteName(origin) })}</button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

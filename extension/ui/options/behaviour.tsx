/**
 * How tasks are worked on. The real mouse and keyboard need a permission that Chrome shows
 * a bar for, so it is asked for by the click that wants it, and only where the build may.
 */

import { useState } from "preact/hooks"

import type { Settings } from "../../protocol"
import { t } from "../texts"
import type { Change } from "./options"

export function Behaviour({ settings, change }: { settings: Settings, change: Change }) {
  const highlight = settings.highlight !== false
  return (
    <section aria-labelledby="behaviour">
      <h2 id="behaviour">{t("options.behaviour.title")}</h2>
      <Check id="screenshots" label={t("options.screenshots")} hint={t("options.screenshots.hint")} checked={settings.sendScreenshots} change={(sendScreenshots) => change({ sendScreenshots })} />
      <Check id="highlight" label={t("options.highlight")} checked={highlight} change={(on) => change({ highlight: on })} />
      <Trusted settings={settings} change={change} />
    </section>
  )
}

function Trusted({ settings, change }: { settings: Settings, change: Change }) {
  const [denied, setDenied] = useState(false)
  const isThere = mayDebug()
  const set = async (trusted: boolean): Promise<void> => {
    const given = !trusted || await chrome.permissions.request({ permissions: ["debugger"] }).catch(() => false)
    setDenied(!given)
    if (given) await change({ trusted })
  }
  return (
    <>
      <Check id="trusted" label={t("options.trusted")} hint={isThere ? t("options.trusted.hint") : `${t("options.trusted.hint")} ${t("options.trusted.unavailable")}`}
        checked={settings.trusted && isThere} disabled={!isThere} change={set} />
      {denied && <p role="alert" class="problem">{t("options.trusted.denied")}</p>}
    </>
  )
}

/** Whether the manifest names the permission at all; else asking for it can only fail. */
function mayDebug(): boolean {
  const { permissions = [], optional_permissions: optional = [] } = chrome.runtime.getManifest()
  return [...permissions, ...optional].some((name) => name === "debugger")
}

function Check(props: { id: string, label: string, hint?: string, checked: boolean, disabled?: boolean, change: (on: boolean) => Promise<void> }) {
  const { id, hint } = props
  const changed = (box: HTMLInputElement): void => {
    const wanted = box.checked
    box.checked = props.checked // until it is stored
    void props.change(wanted)
  }
  return (
    <div class="setting">
      <label class="check">
        <input id={id} type="checkbox" checked={props.checked} disabled={props.disabled} aria-describedby={hint ? `${id}-hint` : undefined} onChange={(event) => changed(event.currentTarget)} /> {props.label}
      </label>
      {hint && <p id={`${id}-hint`} class="hint">{hint}</p>}
    </div>
  )
}

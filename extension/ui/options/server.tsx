/**
 * The address of the server. Another server means another login, so that one is removed;
 * it cannot be changed under a task.
 */

import { useState } from "preact/hooks"

import type { Settings } from "../../protocol"
import { serverAddress } from "../address"
import { t } from "../texts"
import type { Change } from "./options"

export function Server(props: { settings: Settings, busy: boolean, loggedIn: boolean, change: Change, say: (text: string) => void }) {
  const [refused, setRefused] = useState("")
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem("server") as HTMLInputElement
    const checked = serverAddress(field.value)
    if ("refused" in checked) {
      field.focus()
      return setRefused(t(checked.refused))
    }
    const isOther = checked.address !== props.settings.server
    if (isOther && props.busy) return setRefused(t("options.server.open"))
    setRefused("")
    if (isOther) await chrome.storage.local.remove(["login", "session"])
    await props.change({ server: checked.address })
    if (isOther && props.loggedIn) props.say(t("options.server.other"))
  }
  return (
    <section aria-labelledby="server-title">
      <h2 id="server-title">{t("options.server.title")}</h2>
      <form noValidate onSubmit={(event) => void save(event)}>
        <label for="server">{t("options.server.label")}</label>
        <input id="server" name="server" type="url" defaultValue={props.settings.server} required
          aria-invalid={refused !== ""} aria-describedby="server-hint server-refused" />
        <p id="server-hint" class="hint">{t("options.server.hint")}</p>
        <p id="server-refused" role="alert" class="problem">{refused}</p>
        <button type="submit" class="main">{t("options.server.save")}</button>
      </form>
    </section>
  )
}

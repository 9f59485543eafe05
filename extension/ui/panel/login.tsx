/**
 * The login. The password goes to the worker in one message and is kept nowhere: the field
 * is emptied as it is sent.
 */

import { useState } from "preact/hooks"

import type { Failure } from "../../protocol"
import { sitePattern } from "../address"
import { t } from "../texts"
import { failureText, request } from "./request"

export function LoginForm(props: { server: string, expired: boolean }) {
  const [failed, setFailed] = useState<Failure | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget as HTMLFormElement
    const field = (name: string): HTMLInputElement => form.elements.namedItem(name) as HTMLInputElement
    const [email, password] = [field("email").value.trim(), field("password").value]
    field("password").value = ""
    setBusy(true)
    // With it the server need not allow this extension by name; without, it may.
    await chrome.permissions.request({ origins: [sitePattern(props.server)] }).catch(() => false)
    await request({ panel: 1, do: "login", email, password }, setFailed)
    setBusy(false)
  }
  return (
    <section aria-labelledby="login">
      <h2 id="login">{t("login.title")}</h2>
      <p>{t("login.server", { server: props.server })}</p>
      {props.expired && <p>{t("login.expired")}</p>}
      <form onSubmit={(event) => void submit(event)} aria-busy={busy}>
        <label for="email">{t("login.email")}</label>
        <input id="email" name="email" type="email" autocomplete="username" required />
        <label for="password">{t("login.password")}</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required aria-describedby="password-hint" />
        <p id="password-hint" class="hint">{t("login.hint")}</p>
        {failed && <p role="alert" class="problem">{failureText(failed)}</p>}
        <button type="submit" class="main" aria-disabled={busy}>{busy ? t("login.busy") : t("login.submit")}</button>
      </form>
    </section>
  )
}

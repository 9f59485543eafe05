/**
 * The field for a task or a reply. Enter sends, unless an input method is composing; what
 * was typed stays if it was not taken.
 */

import { useId, useRef, useState } from "preact/hooks"

import { t } from "../texts"

export function Composer(props: { label: string, submit: string, example?: string, disabled?: boolean, send: (text: string) => Promise<boolean> }) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (): Promise<void> => {
    const text = field.current?.value.trim() ?? ""
    if (text === "" || busy || props.disabled) return field.current?.focus()
    setBusy(true)
    const taken = await props.send(text)
    setBusy(false)
    if (taken && field.current) field.current.value = ""
  }
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void submit()
  }
  return (
    <form class="composer" aria-busy={busy} onSubmit={(event) => { event.preventDefault(); void submit() }}>
      <label for={id}>{props.label}</label>
      <textarea id={id} ref={field} rows={3} required placeholder={props.example} aria-describedby={`${id}-hint`} onKeyDown={pressed} />
      <p id={`${id}-hint`} class="hint">{t("start.hint")}</p>
      <button type="submit" class="main" aria-disabled={busy || props.disabled}>{props.submit}</button>
    </form>
  )
}

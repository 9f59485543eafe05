/**
 * What a task may need of the person beside words: the permission for a site, which Chrome
 * asks for only after a click, and a file to upload.
 */

import { useRef, useState } from "preact/hooks"

import type { Failure, TaskRecord } from "../../protocol"
import { siteName } from "../address"
import { t } from "../texts"
import { request } from "./request"

interface Props { task: TaskRecord, fail: (failed: Failure | null) => void }

export function PermissionForm({ task, fail }: Props) {
  const [denied, setDenied] = useState(false)
  const origins = task.origins ?? []
  const allow = async (): Promise<void> => {
    const given = await chrome.permissions.request({ origins }).catch(() => false)
    setDenied(!given)
    if (given) await request({ panel: 1, do: "retry", tabId: task.tabId }, fail)
  }
  if (origins.length === 0) return null
  return (
    <div class="form">
      <ul>{origins.map((origin) => <li key={origin}>{siteName(origin)}</li>)}</ul>
      {denied && <p role="alert" class="problem">{t("permission.denied")}</p>}
      <button type="button" class="main first" onClick={() => void allow()}>{t("permission.allow")}</button>
    </div>
  )
}

/** Sites of frames that are left out of the page. The task does not wait for them. */
export function ClosedFrames({ origins }: { origins: string[] }) {
  const allow = (): Promise<boolean> => chrome.permissions.request({ origins }).catch(() => false)
  return (
    <div class="closed">
      <p>{t("closed.text")}</p>
      <button type="button" class="link" onClick={() => void allow()}>{t("closed.allow", { sites: origins.map(siteName).join(", ") })}</button>
    </div>
  )
}

/** Messages between the parts of an extension end at 64 MiB; base64 makes four bytes of three. */
const MAX_MB = 40

export function FileForm({ task, fail }: Props) {
  const chosen = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState("")
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const file = chosen.current?.files?.[0]
    if (!file) return setProblem(t("file.none"))
    if (file.size > MAX_MB * 1024 * 1024) return setProblem(t("file.large", { limit: MAX_MB }))
    setProblem("")
    const data = base64(new Uint8Array(await file.arrayBuffer()))
    await request({ panel: 1, do: "file", tabId: task.tabId, name: file.name, type: file.type, data }, fail)
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <label for="file">{t("file.label")}</label>
      <input id="file" type="file" ref={chosen} />
      {problem && <p role="alert" class="problem">{problem}</p>}
      <button type="submit" class="main">{t("file.submit")}</button>
    </form>
  )
}

function base64(bytes: Uint8Array): string {
  let text = ""
  const piece = 0x8000 // more arguments than this overflow the stack
  for (let i = 0; i < bytes.length; i += piece) text += String.fromCharCode(...bytes.subarray(i, i + piece))
  return btoa(text)
}

/**
 * A task: how it stands and what can be done now, what is about to be done, what happened,
 * and the field for a reply or the next task.
 */

import type { Failure, TaskRecord } from "../../protocol"
import { isOpen, type PanelState } from "../state"
import { goToTab } from "../tabs"
import { t, type TextKey } from "../texts"
import { costText, phaseView, turnsText, type Control, type PhaseView } from "../view"
import { Composer } from "./composer"
import { ClosedFrames, FileForm, PermissionForm } from "./forms"
import { request } from "./request"
import { Story } from "./story"

interface Props {
  state: PanelState
  task: TaskRecord
  isIn: boolean
  fail: (failed: Failure | null) => void
  start: (query: string, tabId: number) => Promise<boolean>
  compose: () => void
}

export function TaskView(props: Props) {
  const { state, task } = props
  const view = phaseView(task)
  const elsewhere = state.activeTab !== null && task.tabId !== state.activeTab
  return (
    <section aria-labelledby="query" aria-busy={view.tone === "working"}>
      <div class={`state ${view.tone}`}>
        <h2 id="query">{task.query}</h2>
        <p class="phase"><strong>{view.title}</strong> <Figures task={task} /></p>
        {view.texts.map((text) => <p key={text}>{text}</p>)}
        <Missing names={view.missing} />
        {view.form === "permission" && <PermissionForm key={task.runId} task={task} fail={props.fail} />}
        {view.form === "file" && <FileForm key={task.runId} task={task} fail={props.fail} />}
        {isOpen(task) && task.closedFrames && <ClosedFrames origins={task.closedFrames} />}
        <About task={task} wanted={state.settings.highlight !== false} />
        <Controls {...props} view={view} />
        {elsewhere && <Elsewhere {...props} />}
      </div>
      <Story log={state.logs[task.runId] ?? []} working={view.tone === "working"} />
      <Answer {...props} view={view} elsewhere={elsewhere} />
    </section>
  )
}

function Figures({ task }: { task: TaskRecord }) {
  const cost = costText(task.costUSD)
  return <span class="figures">{[turnsText(task.turns), cost].filter(Boolean).map((text) => <span key={text}>{text}</span>)}</span>
}

function Missing({ names }: { names: string[] }) {
  if (names.length === 0) return null
  return <><p>{t("question.missing")}</p><ul>{names.map((name) => <li key={name}>{name}</li>)}</ul></>
}

/** What comes next, while it can still be stopped. */
function About({ task, wanted }: { task: TaskRecord, wanted: boolean }) {
  if (!task.about || !isOpen(task)) return null
  const change = async (on: boolean): Promise<void> => {
    const { settings } = await chrome.storage.local.get("settings")
    await chrome.storage.local.set({ settings: { ...(settings as object | undefined), highlight: on } })
  }
  return (
    <div class="about">
      <h3>{t("about.title")}</h3>
      <p>{task.about.text}</p>
      {task.about.target !== "" && (
        <label class="check"><input type="checkbox" checked={wanted} onChange={(event) => void change(event.currentTarget.checked)} /> {t("about.highlight")}</label>
      )}
    </div>
  )
}

const LABELS: Record<Control, TextKey> = {
  stop: "task.stop", takeOver: "task.takeOver", handBack: "task.handBack", retry: "task.retry", goOn: "task.goOn", forget: "task.forget", again: "start.again",
}

function Controls(props: Props & { view: PhaseView }) {
  const { task } = props
  const press = (control: Control): void => {
    if (control === "again") void props.start(task.query, task.tabId)
    else void request({ panel: 1, do: control === "goOn" ? "retry" : control, tabId: task.tabId }, props.fail)
  }
  return (
    <div role="group" aria-label={t("task.controls")} class="controls">
      {props.view.controls.map((control, i) => (
        <button key={control} type="button" class={`${control} ${i === 0 ? "first" : ""}`} onClick={() => press(control)}>{t(LABELS[control])}</button>
      ))}
    </div>
  )
}

function Elsewhere(props: Props) {
  return (
    <p class="elsewhere">
      {t("task.elsewhere")}{" "}
      <button type="button" class="link" onClick={() => void goToTab(props.task.tabId)}>{t("task.goto")}</button>
      <button type="button" class="link" onClick={props.compose}>{t("start.here")}</button>
    </p>
  )
}

/** The reply to a question; after the end, the next task of the tab. */
function Answer(props: Props & { view: PhaseView, elsewhere: boolean }) {
  const { task, view } = props
  if (!props.isIn) return null
  if (view.composer === "reply") {
    const send = (text: string): Promise<boolean> => request({ panel: 1, do: "reply", tabId: task.tabId, text }, props.fail)
    return <Composer key="reply" label={t("reply.label")} submit={t("reply.submit")} send={send} />
  }
  if (view.composer === "start" && !props.elsewhere) {
    return <Composer key="start" label={t("start.new")} submit={t("start.submit")} send={(text) => props.start(text, task.tabId)} />
  }
  return null
}

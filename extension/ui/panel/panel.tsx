/**
 * The panel: who is logged in, the other tasks, and the task in view or a form for a new
 * one. Everything it shows comes from chrome.storage; what it keeps to itself is which
 * run is looked at and what is being typed.
 */

import { useState } from "preact/hooks"

import type { Failure, TaskRecord } from "../../protocol"
import { loggedIn, others, shown, type PanelState } from "../state"
import { goToTab } from "../tabs"
import { t, type TextKey } from "../texts"
import { Composer } from "./composer"
import { useFocusKept, useHighlight, useNews, usePanelState, useWake } from "./hooks"
import { LoginForm } from "./login"
import { failureText, request } from "./request"
import { TaskView } from "./task"

export function Panel() {
  const [state, tell] = usePanelState()
  const [failed, setFailed] = useState<Failure | null>(null)
  const task = shown(state)
  const isIn = loggedIn(state.login, Date.now()) && task?.failure?.code !== "UNAUTHORIZED"
  useWake(state)
  useHighlight(task, state.settings.highlight !== false)
  useFocusKept(`${isIn} ${task?.runId ?? ""} ${task?.phase ?? ""}`)
  const news = useNews(state, task)
  const start = async (query: string, tabId: number): Promise<boolean> => {
    const taken = await request({ panel: 1, do: "start", tabId, query }, setFailed)
    if (taken) tell({ on: "started" })
    return taken
  }
  if (!state.ready) return null
  return (
    <>
      <Header state={state} isIn={isIn} />
      <OtherTasks state={state} pick={(runId) => tell({ on: "picked", runId })} />
      <main class={task ? "task" : "start"}>
        {failed && <p role="alert" class="problem">{failureText(failed)}</p>}
        {!isIn && <LoginForm server={state.settings.server} expired={state.login !== null} />}
        {task
          ? <TaskView state={state} task={task} isIn={isIn} fail={setFailed} start={start} compose={() => tell({ on: "composing" })} />
          : isIn && <Start state={state} start={start} back={() => tell({ on: "back" })} />}
      </main>
      <p role="status" class="unseen">{news.quiet}</p>
      <p role="alert" class="unseen">{news.urgent}</p>
    </>
  )
}

function Header(props: { state: PanelState, isIn: boolean }) {
  const { login } = props.state
  return (
    <header>
      <h1>{t("app.name")}</h1>
      {props.isIn && login && login.email !== "" && <p class="who" title={t("login.as", { email: login.email })}>{login.email}</p>}
      {login && <button type="button" class="link" onClick={() => void request({ panel: 1, do: "logout" }, () => {})}>{t("login.out")}</button>}
      <button type="button" class="link" onClick={() => void chrome.runtime.openOptionsPage()}>{t("app.options")}</button>
    </header>
  )
}

function OtherTasks(props: { state: PanelState, pick: (runId: string) => void }) {
  const list = others(props.state)
  if (list.length === 0) return null
  const name = (task: TaskRecord): string => t("task.other", { query: task.query, phase: t(`phase.${task.phase}` satisfies TextKey) })
  return (
    <nav aria-labelledby="others">
      <h2 id="others">{t("task.others")}</h2>
      <ul>
        {list.map((task) => (
          <li key={task.runId}>
            <button type="button" class="link" onClick={() => props.pick(task.runId)}>{name(task)}</button>
            {task.tabId !== props.state.activeTab && <button type="button" class="link go" onClick={() => void goToTab(task.tabId)} aria-label={`${t("task.goto")}: ${task.query}`}>{t("task.goto")}</button>}
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A new task, on the page of the active tab. */
function Start(props: { state: PanelState, start: (query: string, tabId: number) => Promise<boolean>, back: () => void }) {
  const { activeTab } = props.state
  return (
    <section aria-labelledby="start">
      <h2 id="start">{t("start.title")}</h2>
      {activeTab === null && <p>{t("start.notab")}</p>}
      <Composer label={t("start.label")} submit={t("start.submit")} example={t("start.example")} disabled={activeTab === null}
        send={async (text) => activeTab !== null && props.start(text, activeTab)} />
      {props.state.composing && <button type="button" class="link" onClick={props.back}>{t("task.back")}</button>}
    </section>
  )
}

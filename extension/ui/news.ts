/**
 * What a screen reader is told when something changes: what waits for the person at once,
 * the rest when it is quiet. Nothing is said of what was there when the panel was opened.
 */

import type { LogEntry, TaskRecord } from "../protocol"
import { t, type TextKey } from "./texts"
import { phaseView } from "./view"

export interface Seen { task?: TaskRecord, log: LogEntry[] }
export interface News { text: string, urgent: boolean }

export function newsOf(before: Seen, after: Seen): News | null {
  if (!after.task) return null
  const sameRun = before.task?.runId === after.task.runId
  const phase = after.task.phase
  if (!sameRun || before.task?.phase !== phase) {
    const said = ofPhase(after.task)
    if (said) return said
  }
  if (!sameRun) return null
  const texts = after.log.slice(before.log.length).map(ofEntry).filter((text) => text !== "")
  return texts.length > 0 ? { text: texts.join(" "), urgent: false } : null
}

function ofPhase(task: TaskRecord): News | null {
  switch (task.phase) {
    case "question": return { text: t("news.question", { text: [task.message, ...(task.missing ?? [])].join(" ") }), urgent: true }
    case "permission":
    case "file":
    case "held":
    case "trouble": {
      const view = phaseView(task)
      return { text: [`${view.title}.`, ...view.texts, ...(task.origins ?? [])].join(" "), urgent: true }
    }
    case "done":
    case "failed":
    case "stopped": return { text: t(`news.${task.phase}` satisfies TextKey, { text: task.message }), urgent: false }
    default: return null
  }
}

/** What the user wrote is known; questions and ends are said with their phase. */
function ofEntry(entry: LogEntry): string {
  switch (entry.kind) {
    case "thought":
    case "action":
    case "notice": return entry.text
    case "verdict": {
      const verdict = t(`verdict.${entry.outcome ?? "undecided"}` satisfies TextKey)
      return entry.stepIndex === undefined ? verdict : t("news.verdict", { n: entry.stepIndex + 1, verdict })
    }
    default: return ""
  }
}

/**
 * What is shown of a phase: its title and text, what the person can do, and what the
 * composer is for. Pure, so that every phase is a row of a test.
 */

import type { Phase, TaskRecord } from "../protocol"
import { t, textOf, type TextKey } from "./texts"

export type Control = "stop" | "takeOver" | "handBack" | "retry" | "goOn" | "forget" | "again"

export interface PhaseView {
  title: string
  /** What the record says of it, and what may be done about it. */
  texts: string[]
  missing: string[]
  tone: "working" | "asking" | "trouble" | "good" | "bad" | "quiet"
  controls: Control[]
  composer: "start" | "reply" | "none"
  /** A form of its own. */
  form: "permission" | "file" | "none"
}

const TONES: Record<Phase, PhaseView["tone"]> = {
  look: "working", ask: "working", act: "working", settle: "working", question: "asking", permission: "asking", file: "asking",
  held: "quiet", trouble: "trouble", done: "good", failed: "bad", stopped: "quiet",
}

const CONTROLS: Record<Phase, Control[]> = {
  look: ["stop", "takeOver"], ask: ["stop", "takeOver"], act: ["stop", "takeOver"], settle: ["stop", "takeOver"],
  question: ["stop"], permission: ["stop", "retry"], file: ["stop", "takeOver"], held: ["handBack", "stop"], trouble: ["retry", "stop", "takeOver"],
  done: ["forget"], failed: ["again", "forget"], stopped: ["goOn", "forget"],
}

/** A task the server does not know yet cannot be gone on with, only begun again. */
const controlsOf = (task: TaskRecord): Control[] =>
  CONTROLS[task.phase].map((control) => (control === "goOn" && task.taskId === "" ? "again" : control))

export function phaseView(task: TaskRecord): PhaseView {
  const { phase } = task
  return {
    title: t(`phase.${phase}` satisfies TextKey),
    texts: textsOf(task), missing: task.missing ?? [], tone: TONES[phase], controls: controlsOf(task),
    composer: phase === "question" ? "reply" : ["done", "failed", "stopped"].includes(phase) ? "start" : "none",
    form: phase === "permission" || phase === "file" ? phase : "none",
  }
}

/** A failure is said in our words where there are some, else in those of its record. */
function textsOf(task: TaskRecord): string[] {
  const { failure, message } = task
  const failed = failure && (textOf(`failure.${failure.code}`) ?? failure.message)
  const texts = failed !== undefined && message === failure?.message ? [failed] : [failed ?? "", message]
  return [...new Set(withAdvice(task, texts))].filter((text) => text !== "")
}

/** Adds what the person can do to what the record says, or says it in its place. */
function withAdvice(task: TaskRecord, texts: string[]): string[] {
  switch (task.phase) {
    case "permission": return [task.origins?.length ? t("permission.text") : t("permission.unknown")]
    case "file": return [task.message === "" ? "" : t("file.named", { name: task.message }), t("file.text")]
    case "held": return [...texts, task.message === "" ? t("held.text") : ""]
    case "trouble": return [...texts, WAITS.has(task.failure?.code ?? "") ? "" : t("trouble.text")]
    default: return texts
  }
}

/** Trouble that ends by what the person does, and not by trying again. */
const WAITS = new Set(["RESTRICTED_PAGE", "TAB_GONE", "UNAUTHORIZED"])

/** Cost in dollars, from the exact decimal of the server; undefined if it is not known. */
export function costText(usd: string | undefined): string | undefined {
  const n = Number(usd)
  if (usd === undefined || usd === "" || !Number.isFinite(n)) return undefined
  if (n > 0 && n < 0.0001) return t("task.cost", { usd: t("task.cost.little") })
  return t("task.cost", { usd: `$${n.toFixed(n < 1 && n > 0 ? 4 : 2)}` })
}

export function turnsText(n: number): string {
  return n === 1 ? t("task.turns.one", { n }) : t("task.turns.many", { n })
}

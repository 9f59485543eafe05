/**
 * What is shown of a phase: its title and text, what the person can do, and what the
 * composer is for. Pure, so that every phase is a row of a test.
 */

import type { Phase, TaskRecord } from "../protocol"
import { t, textOf, type TextKey } from "./texts"

export type Control = "stop" | "takeOver" | "handBack" | "retry" | "forget" | "again"

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
  question: ["stop", "takeOver"], permission: ["stop", "retry"], file: ["stop", "takeOver"], held: ["handBack", "stop"], trouble: ["retry", "stop", "takeOver"],
  done: ["forget"], failed: ["again", "forget"], stopped: ["again", "forget"],
}

export function phaseView(task: TaskRecord): PhaseView {
  const { phase } = task
  return {
    title: t(`phase.${phase}` satisfies TextKey),
    texts: textsOf(task), missing: task.missing ?? [], tone: TONES[phase], controls: CONTROLS[phase],
    composer: phase === "question" ? "reply" : ["done", "failed", "stopped"].includes(phase) ? "start" : "none",
    form: phase === "permission" || phase === "file" ? phase : "none",
  }
}

/** A failure is said in our words where there are some, else in those of its record. */
function textsOf(task: TaskRecord): string[] {
  const failed = task.failure && (textOf(`failure.${task.failure.code}`) ?? task.failure.message)
  const own: Partial<Record<Phase, string>> = {
    permission: task.origins?.length ? t("permission.text") : t("permission.unknown"),
    file: t("file.text"), held: t("held.text"), trouble: isHopeless(task) ? "" : t("trouble.text"),
  }
  const texts = [failed ?? "", task.message, own[task.phase] ?? ""]
  return [...new Set(texts.filter((text) => text !== "" && (text !== task.failure?.message || text === failed)))]
}

/** Trying again by itself helps nothing where no extension may work. */
function isHopeless(task: TaskRecord): boolean {
  return task.failure?.code === "RESTRICTED_PAGE" || task.failure?.code === "TAB_GONE"
}

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

/**
 * The log of a run as it is read: what was said, in order, and steps, each with what was
 * thought, tried and judged. A verdict comes a turn later and goes to its step; a step
 * that is tried again has several attempts.
 */

import type { LogEntry } from "../protocol"

export interface Verdict { outcome: "succeeded" | "failed" | "undecided", confidence?: number, reason: string }
export interface Attempt { actions: string[], verdict?: Verdict }
export interface Said { kind: "user" | "thought" | "question" | "notice" | "end", text: string }
export interface Step { kind: "step", index: number, thoughts: string[], attempts: Attempt[] }
export type StoryItem = Said | Step

export function story(log: LogEntry[]): StoryItem[] {
  const items: StoryItem[] = []
  const steps = new Map<number, Step>()
  const stepOf = (index: number): Step => {
    const known = steps.get(index)
    if (known) return known
    const step: Step = { kind: "step", index, thoughts: [], attempts: [] }
    steps.set(index, step)
    items.push(step)
    return step
  }
  for (const entry of log) {
    const index = entry.stepIndex ?? lastStep(items)
    if (entry.kind === "thought" && entry.stepIndex !== undefined) stepOf(entry.stepIndex).thoughts.push(entry.text)
    else if (entry.kind === "action") tried(stepOf(index), entry.text)
    else if (entry.kind === "verdict") judged(stepOf(index), entry)
    else {
      if (entry.kind === "end" || entry.kind === "question") dropSaid(items, entry.text)
      items.push({ kind: entry.kind, text: entry.text })
    }
  }
  return items
}

function lastStep(items: StoryItem[]): number {
  return items.findLast((item) => item.kind === "step")?.index ?? 0
}

/** A step that was only the thought which is now said as question or end says nothing more. */
function dropSaid(items: StoryItem[], text: string): void {
  const last = items.at(-1)
  if (last?.kind === "step" && last.attempts.length === 0 && last.thoughts.every((thought) => thought === text)) items.pop()
}

function tried(step: Step, action: string): void {
  const last = step.attempts.at(-1)
  if (last && !last.verdict) last.actions.push(action)
  else step.attempts.push({ actions: [action] })
}

/** An undecided verdict is replaced by a later one. */
function judged(step: Step, entry: LogEntry): void {
  const verdict: Verdict = { outcome: entry.outcome ?? "undecided", confidence: entry.confidence, reason: entry.reason ?? entry.text }
  const last = step.attempts.at(-1)
  if (last) last.verdict = verdict
  else step.attempts.push({ actions: [], verdict })
}

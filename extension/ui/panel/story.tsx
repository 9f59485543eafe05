/**
 * What happened in a run, in order. The list stays at its end while new lines come, unless
 * the person has scrolled up to read.
 */

import { useEffect, useMemo, useRef } from "preact/hooks"

import type { LogEntry } from "../../protocol"
import { story, type Attempt, type Said, type Step, type Verdict } from "../story"
import { t, type TextKey } from "../texts"

export function Story({ log, working }: { log: LogEntry[], working: boolean }) {
  const items = useMemo(() => story(log), [log])
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const scrolled = (): void => {
    const b = box.current
    if (b) atEnd.current = b.scrollTop + b.clientHeight >= b.scrollHeight - 40
  }
  useEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [items, working])
  return (
    <div class="story" role="region" aria-labelledby="story" tabIndex={0} ref={box} onScroll={scrolled}>
      <h3 id="story">{t("story.title")}</h3>
      {items.length === 0 && !working && <p>{t("story.empty")}</p>}
      <ol>{items.map((item, i) => <li key={i} class={item.kind}>{item.kind === "step" ? <StepLine step={item} /> : <SaidLine said={item} />}</li>)}</ol>
      {working && <p class="busy">{t("story.working")}</p>}
    </div>
  )
}

const SPEAKERS: Record<Said["kind"], TextKey> = {
  user: "story.you", thought: "story.thought", question: "story.question", notice: "story.notice", end: "story.end",
}

function SaidLine({ said }: { said: Said }) {
  return <><h4>{t(SPEAKERS[said.kind])}</h4><p>{said.text}</p></>
}

function StepLine({ step }: { step: Step }) {
  return (
    <>
      <h4>{t("story.step", { n: step.index + 1 })}</h4>
      {step.thoughts.map((thought, i) => <p key={i} class="thought">{thought}</p>)}
      {step.attempts.map((attempt, i) => <AttemptLines key={i} attempt={attempt} />)}
    </>
  )
}

function AttemptLines({ attempt }: { attempt: Attempt }) {
  return (
    <>
      {attempt.actions.map((action, i) => <p key={i} class="action">{action}</p>)}
      {attempt.verdict && <VerdictLines verdict={attempt.verdict} />}
    </>
  )
}

function VerdictLines({ verdict }: { verdict: Verdict }) {
  const { confidence, outcome, reason } = verdict
  return (
    <p class={`verdict ${outcome}`}>
      <strong>{t(`verdict.${outcome}` satisfies TextKey)}</strong>
      {confidence !== undefined && <span class="confidence">{t("verdict.confidence", { percent: Math.round(confidence * 100) })}</span>}
      {reason !== "" && <span class="reason">{reason}</span>}
    </p>
  )
}

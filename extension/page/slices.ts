/**
 * Long work in short slices, so that a page is never held up for long: the work says where
 * it may be interrupted, and begins anew, a few times, if the page has changed meanwhile.
 * The limit holds as far as no single step takes longer.
 */

/** Work that may be interrupted at each yield. */
export type Steps<T> = Generator<void, T>

const SLICE = 40 // milliseconds
const RESTARTS = 3 // a page that never rests is taken as it comes

/** atOnce does the work without a break. */
export const atOnce = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const channel = new MessageChannel()
const waiting: (() => void)[] = []
channel.port1.onmessage = () => waiting.shift()?.()

/** nextTurn lets what the page has to do come first. A message is not slowed down in a tab in
 * the background, as timers are. */
const nextTurn = () => new Promise<void>((resume) => {
  waiting.push(resume)
  channel.port2.postMessage(0)
})

let last: Promise<unknown> = Promise.resolve()

/** inSlices does work in slices, one work after the other. changes counts what the page has
 * changed. */
export const inSlices = <T>(work: () => Steps<T>, changes: () => number): Promise<T> => {
  const run = last.then(() => slice(work, changes))
  last = run.catch(() => undefined)
  return run
}

const slice = async <T>(work: () => Steps<T>, changes: () => number): Promise<T> => {
  let end = performance.now() + SLICE
  for (let restarts = 0; ; restarts++) {
    const before = changes()
    const steps = work()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (performance.now() < end) continue
      await nextTurn()
      end = performance.now() + SLICE
      if (restarts < RESTARTS && changes() !== before) break
    }
  }
}

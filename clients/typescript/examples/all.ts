/** Runs every example and prints a line of JSON for each: its name, and what was wrong. */
import * as background from "./background.js"
import * as errors from "./errors.js"
import * as interact from "./interact.js"
import * as knowledge from "./knowledge.js"
import * as limits from "./limits.js"
import * as login from "./login.js"
import * as retry from "./retry.js"
import * as sessions from "./sessions.js"

const all = { login, interact, sessions, knowledge, limits, retry, background, errors: { byCode: errors.byCode, byType: errors.byType } }

for (const [file, examples] of Object.entries(all)) {
  for (const [name, run] of Object.entries<() => Promise<void>>(examples)) {
    let error = ""
    try {
      await run()
    } catch (e) {
      error = e instanceof Error ? (e.stack ?? e.message) : String(e)
    }
    console.log(JSON.stringify({ name: `${file} ${name}`, error }))
  }
}

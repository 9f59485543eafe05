/// <reference types="vite/client" />
import { defineContentScript } from "wxt/utils/define-content-script"

import { answerWorker } from "../client/answer"

// What acts on the page, where the package has it.
const parts = import.meta.glob<{ act: Record<string, unknown> }>("../act/index.ts", { eager: true })

// Put into pages by the worker, where the user has allowed the site.
export default defineContentScript({
  registration: "runtime",
  matches: [],
  async main() {
    await import("../page/install")
    if (globalThis.stepledger) answerWorker({ ...globalThis.stepledger, ...Object.values(parts)[0]?.act })
  },
})

import { defineContentScript } from "wxt/utils/define-content-script"

import { answerWorker } from "../client/answer"

// Put into pages by the worker, where the user has allowed the site.
export default defineContentScript({
  registration: "runtime",
  matches: [],
  async main() {
    if (globalThis.stepledgerAnswers || window.frameElement !== null) return
    await import("../page/install")
    const { act } = await import("../act/index")
    if (globalThis.stepledger) answerWorker({ ...globalThis.stepledger, ...act })
  },
})

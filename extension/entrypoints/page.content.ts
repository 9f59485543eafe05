import { defineContentScript } from "wxt/utils/define-content-script"

import { act } from "../act/index"
import { answerWorker } from "../client/answer"

// Put into pages by the worker, where the user has allowed the site.
export default defineContentScript({
  registration: "runtime",
  matches: [],
  async main() {
    await import("../page/install")
    if (globalThis.stepledger) answerWorker({ ...globalThis.stepledger, ...act })
  },
})

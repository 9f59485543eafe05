import { defineBackground } from "wxt/utils/define-background"

import { startWorker } from "../client/worker"

export default defineBackground({
  type: "module",
  main() {
    startWorker()
  },
})

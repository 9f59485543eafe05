import { defineContentScript } from "wxt/utils/define-content-script"

import { installWorld } from "../page/world/install"
import "../page/world/timers"

// Put into the page's own world by the worker, where the user has allowed the site.
export default defineContentScript({
  registration: "runtime",
  matches: [],
  world: "MAIN",
  runAt: "document_start",
  allFrames: true,
  main() {
    installWorld()
  },
})

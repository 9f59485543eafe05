import { defineContentScript } from "wxt/utils/define-content-script"

// Put into pages by the worker, where the user has allowed the site.
export default defineContentScript({
  registration: "runtime",
  matches: [],
  async main() {
    await import("../page/install")
  },
})

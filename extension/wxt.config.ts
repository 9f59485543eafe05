import { defineConfig } from "wxt"

const here = (path: string) => decodeURIComponent(new URL(path, import.meta.url).pathname)

// No site and no debugger is asked for at the install: a site is asked for by a click in
// the panel, when a task needs it.
export default defineConfig({
  outDir: "dist",
  outDirTemplate: ".",
  alias: {
    "@stepledger/client": here("../clients/typescript/src/index.ts"),
    "openapi-fetch": here("node_modules/openapi-fetch"), // of the client, which has none of its own here
  },
  manifest: {
    name: "Stepledger",
    description: "Does what you ask on the page you are on, step by step, and shows what it is about to do.",
    minimum_chrome_version: "120",
    permissions: ["activeTab", "alarms", "scripting", "sidePanel", "storage", "unlimitedStorage"],
    optional_host_permissions: ["http://*/*", "https://*/*"],
    action: { default_title: "Stepledger" },
  },
})

import { defineConfig } from "wxt"

import texts from "./ui/texts/en.json"

const here = (path: string) => decodeURIComponent(new URL(path, import.meta.url).pathname)

// No site and no debugger is asked for at the install: a site is asked for by a click in
// the panel, when a task needs it. Browsers let nobody ask for the debugger later, so real
// mouse and keyboard are a build of their own: wxt build --mode trusted, in dist-trusted.
export default defineConfig({
  outDir: "dist",
  outDirTemplate: "../dist{{modeSuffix}}",
  alias: {
    "@stepledger/client": here("../clients/typescript/src/index.ts"),
    "openapi-fetch": here("node_modules/openapi-fetch"), // of the client, which has none of its own here
  },
  manifest: ({ mode }) => ({
    name: texts["manifest.name"],
    description: texts["manifest.description"],
    minimum_chrome_version: "120",
    permissions: ["activeTab", "alarms", "scripting", "sidePanel", "storage", "unlimitedStorage", ...(mode === "trusted" ? ["debugger"] : [])],
    optional_host_permissions: ["http://*/*", "https://*/*"],
    action: { default_title: texts["manifest.action"] },
    // The panel, the options and the worker load nothing but their own files, and reach
    // servers over https or on this machine.
    content_security_policy: {
      extension_pages: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src https: http://127.0.0.1:* http://localhost:* data:; base-uri 'none'; form-action 'none'",
    },
  }),
})

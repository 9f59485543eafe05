// The page's side as scripts that Go embeds: what watches a page from a world of its own,
// and in the page's the timers and a count of closed shadow trees. They are committed, so
// that Go alone builds; a test checks that they are what the source gives. PAGE_OUT is
// another folder to write to.
import { defineConfig } from "rolldown"

const out = process.env.PAGE_OUT ?? "../internal/browser/script"
const script = (input, name) => ({
  input, tsconfig: false,
  output: { file: `${out}/${name}.js`, format: "iife", minify: false, comments: false, banner: "// Made by `make extension-page` from extension/page. Change it there." },
})

export default defineConfig([
  script("page/install.ts", "page"), script("page/world/timers.ts", "timers"), script("page/world/closed.ts", "closed"),
])

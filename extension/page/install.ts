/**
 * Installs the page's side in a document, once. A frame of the same origin is reached into
 * from the document around it.
 */

import { page } from "./index"
import { watch } from "./witness"

if (window.frameElement === null && !globalThis.stepledger) {
  globalThis.stepledger = page
  watch()
}

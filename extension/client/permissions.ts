/**
 * Which sites the user has allowed. They are asked for by the panel, since only a click
 * may; here it is only found out which are missing, and pages of allowed sites get the
 * page's side from their beginning.
 */

import { pageFile, worldFile } from "./page"

/** The pattern of an address's origin, as permissions have it. */
export function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname } = new URL(address)
  return protocol === "http:" || protocol === "https:" ? `${protocol}//${hostname}/*` : undefined // a pattern has no port: all of the host
}

/** Whether the site of an address may be acted on. */
export async function isAllowed(address: string): Promise<boolean> {
  const origin = originOf(address)
  return origin !== undefined && chrome.permissions.contains({ origins: [origin] })
}

/**
 * Registers the scripts for the sites that are allowed now: the page's side at the start of
 * every document, and the part that stands in the page's own world. Done again it changes
 * nothing; a build without the latter registers the first alone.
 */
export async function registerScripts(): Promise<void> {
  const { origins = [] } = await chrome.permissions.getAll()
  const matches = origins.filter((o) => o === "<all_urls>" || /^(https?|\*):\/\//.test(o))
  const known = await chrome.scripting.getRegisteredContentScripts()
  const ours = known.map((s) => s.id).filter((id) => id === "page" || id === "world")
  if (ours.length > 0) await chrome.scripting.unregisterContentScripts({ ids: ours })
  if (matches.length === 0) return
  const script = { matches, allFrames: true, matchOriginAsFallback: true, runAt: "document_start" as const, persistAcrossSessions: true }
  await chrome.scripting.registerContentScripts([{ ...script, id: "page", js: [pageFile] }])
  try {
    await chrome.scripting.registerContentScripts([{ ...script, id: "world", js: [worldFile], world: "MAIN" }])
  } catch (e) {
    console.debug("without the part in the page's own world:", e)
  }
}

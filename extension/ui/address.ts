/**
 * Addresses of servers as a person types them. Outside this machine only https is taken,
 * since the login and pages go there.
 */

import type { TextKey } from "./texts"

const LOOPBACK = new Set(["127.0.0.1", "localhost"])

/** The address as it is stored, without a slash at its end, or why it is refused. */
export function serverAddress(typed: string): { address: string } | { refused: TextKey } {
  const text = typed.trim()
  if (text === "") return { refused: "address.empty" }
  if (!URL.canParse(text)) return { refused: "address.invalid" }
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return { refused: "address.scheme" }
  if (url.protocol === "http:" && !LOOPBACK.has(url.hostname)) return { refused: "address.insecure" }
  if (url.username || url.password || url.search || url.hash || /[?#]$/.test(text)) return { refused: "address.extra" }
  return { address: url.origin + url.pathname.replace(/\/+$/, "") }
}

/** The pattern that chrome.permissions takes for the site of an address. */
export function sitePattern(address: string): string {
  const url = new URL(address)
  return `${url.protocol}//${url.hostname}/*`
}

/** A pattern of chrome.permissions as a person reads it. */
export function siteName(pattern: string): string {
  return pattern.replace(/\/\*$/, "").replace(/^\*:\/\//, "")
}

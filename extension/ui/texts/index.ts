/**
 * Every text a person sees: en.json, by key. t() refuses a key that is not there and a
 * placeholder that is not filled when it is compiled or tested; it writes no markup.
 */

import en from "./en.json"

export type TextKey = keyof typeof en

/** Gives a text with {name} replaced by values.name. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return en[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Gives the text of a key made of parts, undefined if there is none. */
export function textOf(key: string): string | undefined {
  return Object.hasOwn(en, key) ? en[key as TextKey] : undefined
}

/**
 * A hash of a text, to tell whether it is the same as before: 106 bits, not meant to
 * withstand whoever looks for two texts of one hash. (cyrb53 by bryc, in the public domain,
 * with two seeds.)
 */

/** The hash, in hex. */
export const hashOfText = (text: string): string => [0, 0x9e3779b9].map((seed) => half(text, seed).toString(16).padStart(14, "0")).join("")

function half(text: string, seed: number): number {
  let [a, b] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed]
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    a = Math.imul(a ^ c, 2654435761)
    b = Math.imul(b ^ c, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

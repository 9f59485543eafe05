import { describe, expect, it } from "vitest"

import { expand, templatize } from "../page/templatize"

/** numbers is a generator of numbers that are the same in each run. */
const numbers = (seed: number) => () => {
  seed = (seed * 1664525 + 1013904223) % 4294967296
  return seed / 4294967296
}

const TEXTS = ["$10", "a & b", "&amp;", "{{1}}", 'say "hi"', "", " ", "\n", "<t1 v1=\"x\"/>", "ünï", "$& $1", "</template>", "x".repeat(50)]
const TAGS = ["div", "li", "span", "br", "input", "template", "t1", "DIV"]

/** randomHTML makes markup with repetitions, mostly well formed. */
const randomHTML = (next: () => number): string => {
  const pick = <T>(of: T[]) => of[Math.floor(next() * of.length)]
  const element = (depth: number): string => {
    const tag = pick(TAGS)
    const attributes = next() < 0.6 ? ` class="${pick(TEXTS).replaceAll('"', "&quot;")}"` : ""
    if (tag === "br" || tag === "input") return `<${tag}${attributes}>`
    const inside = depth > 3 ? pick(TEXTS) : Array.from({ length: Math.floor(next() * 4) }, () => (next() < 0.5 ? pick(TEXTS) : element(depth + 1))).join("")
    return `<${tag}${attributes}>${inside}</${tag}>`
  }
  const row = () => `<li class="item item-${Math.floor(next() * 9)}" data-kind="row"><b>${pick(TEXTS)}</b> <span title="price">${pick(TEXTS)}</span></li>`
  const parts = Array.from({ length: 12 }, () => (next() < 0.6 ? row() : element(0)))
  const broken = next() < 0.1 ? pick(["<div>", "</b>", "<", "<!--", "<a href='"]) : ""
  return (next() < 0.05 ? "<!--templates 1 t-->" : "") + parts.join(pick(["", "\n"])) + broken
}

describe("templatize", () => {
  it("is undone by expand, whatever the markup", () => {
    const next = numbers(7)
    for (let i = 0; i < 1000; i++) {
      const html = randomHTML(next)
      expect(expand(templatize(html))).toBe(html)
    }
  }, 60_000)

  it("writes repeated markup once", () => {
    const row = (n: number) => `<div class="item"><span class="price" data-id="${n}">$${n}0</span><span class="unit">each, with tax</span></div>`
    const html = `<main>${Array.from({ length: 50 }, (_, n) => row(n)).join("\n")}</main>`
    const short = templatize(html)
    expect(short.length).toBeLessThan(0.45 * html.length)
    expect(short).toContain('<template id="t1"><div class="item"><span class="price" data-id="{{1}}">{{2}}</span><span class="unit">each, with tax</span></div></template>')
    expect(short).toContain('<t1 v1="7" v2="$70"/>')
    expect(expand(short)).toBe(html)
  })

  it("leaves alone what it would not make shorter", () => {
    for (const html of ["", "text", "<p>one</p><p>two</p>", "<ul><li>a</li><li>b</li><li>c</li></ul>", "<div><b></div></b>".repeat(20)]) {
      expect(templatize(html)).toBe(html)
    }
  })

  it("takes a text that looks like its own", () => {
    const html = '<!--templates 1 t--><template id="t1">x</template><t1/>'
    expect(expand(templatize(html))).toBe(html)
  })

  it("is not held up by long markup", () => {
    const html = `<table>${Array.from({ length: 20_000 }, (_, n) => `<tr class="row"><td>${n}</td><td><a href="/orders/${n}">Order</a></td></tr>`).join("")}</table>`
    expect(expand(templatize(html))).toBe(html)
  }, 20_000)
})

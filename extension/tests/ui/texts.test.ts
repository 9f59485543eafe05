// Texts a person sees are in ui/texts/en.json and nowhere else, and each is used.

/// <reference types="vite/client" />
import ts from "typescript"
import { describe, expect, it } from "vitest"

import en from "../../ui/texts/en.json"
import { t, textOf } from "../../ui/texts"

// By path, their texts.
const sources = import.meta.glob<string>(["../../ui/**/*.ts", "../../ui/**/*.tsx", "../../entrypoints/{sidepanel,options}/*.ts"], { query: "?raw", import: "default", eager: true })
const spoken = import.meta.glob<string>(["../../client/{act,debugger,look,run,server,state,worker}.ts"], { query: "?raw", import: "default", eager: true })
const documents = import.meta.glob<string>("../../entrypoints/*/*.html", { query: "?raw", import: "default", eager: true })
const users = import.meta.glob<string>(["../../wxt.config.ts", "../../store/listing.js"], { query: "?raw", import: "default", eager: true })

const SHOWN = new Set(["title", "label", "alt", "placeholder", "aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "value", "submit", "example", "hint"])

/** Texts of a source that a person would see: between tags, in attributes that are shown, or sentences. */
function visibleTexts(name: string, source: string): string[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) found.push(node.text.trim())
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) {
      const parent = node.parent
      const inAttribute = ts.isJsxAttribute(parent) && SHOWN.has(parent.name.getText()) && /\p{L}/u.test(node.text)
      const inMarkup = ts.isJsxExpression(parent) && !ts.isJsxAttribute(parent.parent) && /\p{L}/u.test(node.text)
      if (inAttribute || inMarkup || /^\p{Lu}\p{L}* \p{L}+/u.test(node.text)) found.push(node.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

describe("visible texts", () => {
  it("are in no source", () => {
    expect(Object.keys(sources).length).toBeGreaterThan(20)
    expect(Object.keys(spoken)).toHaveLength(7)
    const found = Object.entries({ ...sources, ...spoken }).flatMap(([name, source]) => visibleTexts(name, source).map((text) => `${name}: ${text}`))
    expect(found).toEqual([])
  })

  it("are in no document", () => {
    expect(Object.keys(documents)).toHaveLength(2)
    for (const [name, html] of Object.entries(documents)) expect(html.replace(/<[^>]*>/g, "").trim(), name).toBe("")
  })

  it("would be found", () => {
    expect(visibleTexts("a.tsx", "const a = <p>Stop</p>")).toEqual(["Stop"])
    expect(visibleTexts("a.tsx", "const a = <p aria-label=\"Stop\" class=\"stop now\">{\"now\"}</p>")).toEqual(["Stop", "now"])
    expect(visibleTexts("a.ts", "say(\"The page is gone\"); say(`Tab ${n}`)")).toEqual(["The page is gone"])
  })

  it("are each used", () => {
    const code = [...Object.values(sources), ...Object.values(spoken), ...Object.values(users)].join("\n")
    const families = [...code.matchAll(/`([a-z]+\.)\$\{/g)].map((match) => match[1]!)
    const unused = Object.keys(en).filter((key) => !code.includes(`"${key}"`) && !families.some((family) => key.startsWith(family)))
    expect(unused).toEqual([])
  })
})

describe("t", () => {
  it("fills placeholders, and leaves those that have no value to be seen", () => {
    expect(t("login.server", { server: "https://a.example" })).toBe("Server: https://a.example")
    expect(t("login.server")).toBe("Server: {server}")
    expect(t("login.server", { server: "{server}$&" })).toBe("Server: {server}$&")
  })

  it("has no text for what is no key", () => {
    expect(textOf("failure.RESTRICTED_PAGE")).toContain("No extension")
    expect(textOf("failure.UNHEARD_OF")).toBeUndefined()
    expect(textOf("toString")).toBeUndefined()
  })
})

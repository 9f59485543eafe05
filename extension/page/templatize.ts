/**
 * Repeated markup written once: elements that differ only in their texts and in the values
 * of their attributes become a template and what is different in each. It is reversible
 * for every text, expand(templatize(html)) === html, and leaves alone what it would not make
 * shorter, and markup whose tags do not match.
 *
 *   <!--templates 1 t--><template id="t1"><li class="item"><b>{{1}}</b></li></template>
 *   <ul><t1 v1="$10"/><t1 v1="$20"/><t1 v1="$30"/></ul>
 */

/** A part of an element: what all of its shape have, or what may differ. */
interface Piece { text: string, isHole: boolean }

/** An element or a text between elements. Pieces are those of its own tags and texts. */
interface Part { open: Piece[], children: Part[], close: string, isElement: boolean, shape: number }

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
const TAG = /<!--[\s\S]*?-->|<![^>]*>|<(\/?)([a-zA-Z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/g

const constant = (text: string): Piece => ({ text, isHole: false })

/** piecesOf cuts the quoted values out of a tag. */
const piecesOf = (tag: string): Piece[] => {
  const pieces: Piece[] = []
  let at = 0
  for (const m of tag.matchAll(/="([^"]*)"/g)) {
    const from = m.index + 2
    pieces.push(constant(tag.slice(at, from)), { text: m[1], isHole: true })
    at = from + m[1].length
  }
  return [...pieces, constant(tag.slice(at))]
}

const textPart = (text: string): Part => ({ open: [{ text, isHole: text.trim() !== "" }], children: [], close: "", isElement: false, shape: 0 })
const rawPart = (text: string): Part => ({ open: [constant(text)], children: [], close: "", isElement: false, shape: 0 })

/** parse reads markup, null if its tags do not match. */
const parse = (html: string): Part | null => {
  const root: Part = { open: [], children: [], close: "", isElement: false, shape: 0 }
  const stack = [{ part: root, name: "" }]
  let at = 0
  for (const m of html.matchAll(TAG)) {
    const top = stack[stack.length - 1]
    if (m.index > at) top.part.children.push(textPart(html.slice(at, m.index)))
    at = m.index + m[0].length
    const [tag, slash, name] = m
    if (name === undefined) {
      top.part.children.push(rawPart(tag))
    } else if (slash) {
      if (top.name !== name) return null
      top.part.close = tag
      stack.pop()
    } else {
      const part: Part = { open: piecesOf(tag), children: [], close: "", isElement: true, shape: 0 }
      top.part.children.push(part)
      if (!tag.endsWith("/>") && !VOID.has(name.toLowerCase())) stack.push({ part, name })
    }
  }
  if (stack.length !== 1) return null
  if (at < html.length) root.children.push(textPart(html.slice(at)))
  return root
}

/** shapeAll numbers the shapes: those of the same number differ in their holes alone. */
const shapeAll = (part: Part, known: Map<string, number>) => {
  for (const child of part.children) shapeAll(child, known)
  const own = part.open.map((p) => (p.isHole ? 0 : p.text))
  const key = JSON.stringify([own, part.children.map((c) => c.shape), part.close])
  part.shape = known.get(key) ?? known.size + 1
  known.set(key, part.shape)
}

/** flat lists the pieces of an element with all in it, constants joined. */
const flat = (part: Part, out: Piece[] = []): Piece[] => {
  const put = (p: Piece) => {
    const last = out[out.length - 1]
    if (!p.isHole && last && !last.isHole) out[out.length - 1] = constant(last.text + p.text)
    else out.push(p)
  }
  part.open.forEach(put)
  for (const child of part.children) flat(child, out)
  put(constant(part.close))
  return out
}

const FEWEST = 3 // of a shape, for a template
const SHORTEST = 40 // characters of an element; a shorter one gains nothing

/** A template: its pieces, of which the holes are those that differ. */
interface Template { pieces: Piece[], uses: number, saved: number, name: string }

/** templatesOf finds the shapes worth a template, by their numbers. */
const templatesOf = (root: Part): Map<number, Template> => {
  const parts = new Map<number, Part[]>()
  const collect = (part: Part) => {
    const alike = parts.get(part.shape)
    if (alike) alike.push(part)
    else if (part.isElement) parts.set(part.shape, [part])
    part.children.forEach(collect)
  }
  collect(root)
  const found = new Map<number, Template>()
  for (const [shape, alike] of parts) {
    if (alike.length < FEWEST || !alike[0].isElement) continue
    const all = alike.map((part) => flat(part))
    if (all[0].reduce((n, p) => n + p.text.length, 0) < SHORTEST) continue
    const pieces = all[0].map((p, i) => ({ text: p.text, isHole: p.isHole && all.some((other) => other[i].text !== p.text) }))
    if (pieces.some((p) => !p.isHole && /\{\{|<\/?template/i.test(p.text))) continue
    found.set(shape, { pieces, uses: 0, saved: 0, name: "" })
  }
  return found
}

const encode = (value: string) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")
const decode = (value: string) => value.replaceAll("&quot;", '"').replaceAll("&amp;", "&")

/** write writes a part, its outermost elements with a template as uses of it. */
const write = (part: Part, templates: Map<number, Template>): string => {
  const template = part.isElement ? templates.get(part.shape) : undefined
  if (!template) return part.open.map((p) => p.text).join("") + part.children.map((c) => write(c, templates)).join("") + part.close
  const whole = flat(part)
  const values = whole.filter((_, i) => template.pieces[i].isHole).map((p, i) => ` v${i + 1}="${encode(p.text)}"`).join("")
  const use = `<${template.name}${values}/>`
  template.uses++
  template.saved += whole.reduce((n, p) => n + p.text.length, 0) - use.length
  return use
}

const definition = (t: Template): string => {
  let holes = 0
  return `<template id="${t.name}">${t.pieces.map((p) => (p.isHole ? `{{${++holes}}}` : p.text)).join("")}</template>`
}

const header = (n: number, prefix: string) => `<!--templates ${n} ${prefix}-->`
const HEADER = /^<!--templates (\d+) ([a-z]+)-->/

/** prefixFor is the beginning of a tag that the markup does not have. */
const prefixFor = (html: string): string => {
  let prefix = "t"
  while (html.includes(`<${prefix}`) && new RegExp(`<${prefix}\\d`).test(html)) prefix += "t"
  return prefix
}

/** templatize writes repeated markup once. */
export const templatize = (html: string): string => {
  const same = HEADER.test(html) ? header(0, "t") + html : html
  const root = parse(html)
  if (!root) return same
  shapeAll(root, new Map())
  const templates = templatesOf(root)
  const prefix = prefixFor(html)
  for (;;) {
    let n = 0
    for (const t of templates.values()) Object.assign(t, { uses: 0, saved: 0, name: prefix + ++n })
    const body = write(root, templates)
    const used = [...templates].filter(([, t]) => t.uses > 0)
    const poor = [...templates].filter(([, t]) => t.uses === 0 || t.saved <= definition(t).length)
    if (poor.length === 0 && used.length === 0) return same
    if (poor.length > 0) {
      for (const [shape] of poor) templates.delete(shape)
      continue
    }
    const out = header(used.length, prefix) + used.map(([, t]) => definition(t)).join("") + body
    return out.length < html.length ? out : same
  }
}

/** expand is the markup that was templatized; any other text is left as it is. */
export const expand = (text: string): string => {
  const head = HEADER.exec(text)
  if (!head) return text
  let rest = text.slice(head[0].length)
  const [, count, prefix] = head
  const bodies = new Map<string, string[]>()
  for (let n = Number(count); n > 0; n--) {
    const m = /^<template id="([a-z]+\d+)">([\s\S]*?)<\/template>/.exec(rest)
    if (!m) return text
    bodies.set(m[1], m[2].split(/\{\{\d+\}\}/))
    rest = rest.slice(m[0].length)
  }
  if (bodies.size === 0) return rest
  return rest.replace(new RegExp(`<(${prefix}\\d+)((?: v\\d+="[^"]*")*)/>`, "g"), (use, name: string, attributes: string) => {
    const values = [...attributes.matchAll(/="([^"]*)"/g)].map((m) => decode(m[1]))
    const pieces = bodies.get(name)
    return pieces ? pieces.map((p, i) => p + (values[i] ?? "")).join("") : use
  })
}

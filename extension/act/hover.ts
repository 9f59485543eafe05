/**
 * What a page shows by style alone while the mouse is over something: the rules with :hover
 * of its style sheets are repeated for elements with an attribute, and the mouse that is
 * moved here gives it to those it is over. Style sheets of other origins cannot be read.
 */

/** HOVERED marks what the mouse is over. */
export const HOVERED = "data-stepledger-hover"

const PSEUDO = /:hover(?![\w-])/g

type Root = Document | ShadowRoot

const sheets = new Map<Root, CSSStyleSheet>()
let marked: Element[] = []

/** repeated gives the rules of a list that have :hover, with the attribute in its place,
 * within the conditions they stand in. */
const repeated = (rules: CSSRuleList): string => {
  let out = ""
  for (const rule of rules) {
    if ("styleSheet" in rule) { // an import
      out += rule.styleSheet ? repeatedSheet(rule.styleSheet as CSSStyleSheet) : ""
      continue
    }
    const text = rule.cssText
    if (text.search(PSEUDO) < 0) continue
    if ("selectorText" in rule) out += `${text.replace(PSEUDO, `[${HOVERED}]`)}\n`
    else if ("cssRules" in rule) out += `${text.slice(0, text.indexOf("{"))}{${repeated(rule.cssRules as CSSRuleList)}}\n`
  }
  return out
}

const repeatedSheet = (sheet: CSSStyleSheet): string => {
  if (sheet.disabled) return ""
  try {
    const media = sheet.media.mediaText
    const text = repeated(sheet.cssRules)
    return media && text ? `@media ${media} {${text}}` : text
  } catch {
    return "" // of another origin
  }
}

const adopt = (root: Root) => {
  const own = sheets.get(root)
  const text = [...root.styleSheets, ...root.adoptedStyleSheets].filter((sheet) => sheet !== own).map(repeatedSheet).join("")
  if (text === "") return false
  const view = (root.ownerDocument ?? root as Document).defaultView as (Window & typeof globalThis) | null
  if (!view) return false
  const sheet = own ?? new view.CSSStyleSheet()
  sheet.replaceSync(text)
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  sheets.set(root, sheet)
  return true
}

const release = (root: Root, sheet: CSSStyleSheet) => {
  root.adoptedStyleSheets = root.adoptedStyleSheets.filter((s) => s !== sheet)
  sheets.delete(root)
}

/** hoverStyles shows what the style sheets show while the mouse is over these elements, and
 * no longer what they showed for others. The list is empty when it is over nothing. */
export const hoverStyles = (over: Element[]) => {
  const roots = new Set(over.map((el) => el.getRootNode() as Root))
  const styled = new Set([...roots].filter(adopt))
  const wanted = over.filter((el) => styled.has(el.getRootNode() as Root))
  for (const el of marked) if (!wanted.includes(el)) el.removeAttribute(HOVERED)
  for (const el of wanted) if (!el.hasAttribute(HOVERED)) el.setAttribute(HOVERED, "")
  marked = wanted
  for (const [root, sheet] of [...sheets]) if (!styled.has(root)) release(root, sheet)
}

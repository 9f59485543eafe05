/**
 * The type of any element of a page. Which of the optional parts an element has is said by
 * its tag: scripts look at localName, and what is not there is undefined, as at run time.
 * It promises nothing about an element that is no longer in a document.
 */

/** An element of unknown kind: HTML, SVG or of the page's own making. */
export interface PageElement extends Element {
  readonly innerText?: string
  readonly style?: CSSStyleDeclaration
  readonly title?: string
  readonly isContentEditable?: boolean
  readonly tabIndex?: number
  focus?(options?: FocusOptions): void

  // fields
  readonly type?: string
  value?: unknown
  readonly labels?: NodeListOf<HTMLLabelElement> | null
  readonly checked?: boolean
  readonly indeterminate?: boolean
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly willValidate?: boolean
  readonly validity?: ValidityState
  select?(): void

  // choices
  readonly multiple?: boolean
  readonly size?: number
  readonly options?: Iterable<HTMLOptionElement>
  readonly selectedOptions?: Iterable<HTMLOptionElement>
  readonly selected?: boolean

  readonly open?: boolean
  readonly contentDocument?: Document | null
  readonly contentWindow?: Window | null
}

/** textIn is what a field or an editable element holds. The value of some elements is a number. */
export const textIn = (el: PageElement): string => (typeof el.value === "string" ? el.value : el.innerText ?? "")

/** hostOf is the element around a shadow tree, null where a root is none. */
export const hostOf = (root: Node): PageElement | null => (root as Node & { host?: Element }).host ?? null

/** above is the parent of an element, out of its shadow tree, null at the root of a document. */
export const above = (el: Element): PageElement | null => el.parentElement ?? hostOf(el.getRootNode())

/** isElement narrows a node. instanceof is of no use: each frame has its own constructors. */
export const isElement = (node: Node): node is PageElement => node.nodeType === 1
/** isText narrows a node to a text. */
export const isText = (node: Node): node is Text => node.nodeType === 3
/** isDocument narrows a root. */
export const isDocument = (node: Node): node is Document => node.nodeType === 9
/** isFrame reports what shows a document of its own. */
export const isFrame = (el: Element): boolean => el.localName === "iframe" || el.localName === "frame"

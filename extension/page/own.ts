/**
 * What we put into a page ourselves. It is no part of the page: it is not walked, not
 * written, and its coming and going is no change.
 */

const own = new WeakSet<Node>()

/** disown takes an element of ours out of everything that is read of the page. */
export const disown = (el: Element): void => void own.add(el)

/** isOwn reports an element of ours. */
export const isOwn = (node: Node): boolean => own.has(node)

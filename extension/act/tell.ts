/** The events by which a field says that its value is another: a script's do not come of
 * themselves. */

/** tell dispatches plain events that bubble. */
export const tell = (el: Element, ...names: string[]) => names.forEach((name) => el.dispatchEvent(new Event(name, { bubbles: true, composed: name === "input" })))

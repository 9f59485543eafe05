// The document as HTML: shadow trees and frames in place, fields with the
// values they have now, secrets without.

import { hasTextValue, styleOf } from "./describe"
import { covering } from "./layer"
import { isFilledSecret, isSecret, removeSecrets, secretFields } from "./secret"
import { between, isInlineTag } from "./seen"
import { documentOf } from "./walk"

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
const DROPPED = new Set(["script", "style", "noscript", "template", "link", "meta", "base"]);
const HEAVY = new Set(["svg", "canvas", "video", "audio", "picture", "object", "embed"]);
const KEPT_UNRENDERED = new Set(["html", "head", "title", "option", "optgroup", "datalist", "source", "area"]);

const escapeText = (s) => removeSecrets(s).replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
const escapeAttribute = (s) => removeSecrets(s).replace(/[&"]/g, (c) => ({ "&": "&amp;", '"': "&quot;" })[c]);

// liveAttributes are an element's attributes, with what a person has changed since.
const liveAttributes = (el) => {
  const all = new Map([...el.attributes].map((a) => [a.name, a.value]));
  const flag = (name, on) => (on ? all.set(name, "") : all.delete(name));
  if (el.localName === "input") {
    if (isSecret(el)) {
      all.delete("value");
      all.delete("data-filled");
      if (isFilledSecret(el)) all.set("data-filled", "");
    }
    else if (hasTextValue(el)) all.set("value", el.value);
    if (["checkbox", "radio"].includes(el.type)) flag("checked", el.checked);
  }
  if (el.localName === "option") flag("selected", el.selected);
  return all;
};

const openTag = (el, name, full, hidden) => {
  let out = `<${name}`;
  if (el === covering) out += ' aria-modal="true"'; // what it is to a person
  for (const [key, value] of liveAttributes(el)) {
    if (key === "aria-modal" && el === covering) continue;
    if (!full && (key === "style" || key.startsWith("on") || (value.length > 300 && key !== "value"))) continue;
    if (/^[^\s"'<>/=]+$/.test(key)) out += value === "" ? ` ${key}` : ` ${key}="${escapeAttribute(value)}"`;
  }
  return `${out}${hidden && !el.hasAttribute("hidden") ? " hidden" : ""}>`;
};

const childrenOf = (el) => {
  if (el.shadowRoot) return el.shadowRoot.childNodes;
  if (el.localName === "slot" && el.assignedNodes().length) return el.assignedNodes();
  return el.childNodes;
};

// html writes until the limit (UTF-16 units) and then only closes what is open.
export const html = (full, limit) => {
  let out = "<!doctype html>";
  let last = null; // the text before, if no space and no tag that ends a line came since
  const writeText = (node) => {
    const text = full ? node.data : node.data.replace(/\s+/g, " ");
    if (text === "" || (text === " " && out.endsWith(" "))) return;
    if (last && !/^\s/.test(text)) out += between(last, node).replace("\n", "<br>");
    out += escapeText(text).slice(0, limit - out.length);
    last = /\s$/.test(text) ? null : node;
  };
  const write = (node) => {
    if (out.length >= limit) return;
    if (node.nodeType === 3) {
      writeText(node);
      return;
    }
    if (node.nodeType !== 1) return;
    const name = node.localName;
    if (DROPPED.has(name) || (!full && HEAVY.has(name))) return;
    const hidden = !KEPT_UNRENDERED.has(name) && !node.checkVisibility({ contentVisibilityAuto: false }) && name !== "slot";
    if (hidden && !full && styleOf(node).display !== "contents") return;
    const inner = name === "iframe" ? documentOf(node) : null;
    const tag = name === "iframe" ? "div" : name;
    if (!isInlineTag(node)) last = null;
    out += openTag(node, tag, full, hidden && styleOf(node).display === "none");
    if (VOID.has(name)) return;
    if (!secretFields.has(node)) { // else what was typed into it stays there
      if (name === "textarea") out += escapeText(node.value);
      else if (inner?.body) write(inner.body);
      else for (const child of childrenOf(node)) write(child);
    }
    if (!isInlineTag(node)) last = null;
    out += `</${tag}>`;
  };
  write(document.documentElement);
  return out.toWellFormed();
};

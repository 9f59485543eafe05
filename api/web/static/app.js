"use strict";
// Every page works without this script. With it, moving along a task loads the part
// that changes in place of the whole page, and lists are kept up to date.

const part = document.getElementById("part");

function load(url) {
  return fetch(url, { headers: { "X-Part": "1" }, credentials: "same-origin" }).then((answer) => {
    if (answer.status === 401) location.reload(); // leads to the login
    if (!answer.ok) throw new Error("answer " + answer.status);
    return answer.text();
  });
}

// Captured pages were seen in a window of 1280 pixels and are shown smaller.
const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) target.style.setProperty("--scale", contentRect.width / 1280);
});

function scaleFrames(root) {
  for (const frame of root.querySelectorAll(".frame")) {
    frame.classList.add("scaled");
    frame.style.setProperty("--scale", frame.clientWidth / 1280);
    sizes.observe(frame);
  }
}

// Captured pages take long to draw. Those of the turns beside the one that is shown are
// drawn on a shelf before somebody goes there, and none is drawn twice: a frame that is
// moved keeps what is in it.
const mayMove = "moveBefore" in Element.prototype;
const shelf = document.createElement("div");
const drawn = new Map(); // frames by their address, the one used longest ago first
const drawnMost = 12;

shelf.className = "shelf";
shelf.inert = true;

function keepFrame(frame) {
  const src = frame.getAttribute("src");
  drawn.delete(src);
  drawn.set(src, frame);
  frame.addEventListener("load", () => (frame.dataset.drawn = ""), { once: true });
}

function parse(html) {
  const box = document.createElement("template");
  box.innerHTML = html;
  return box.content;
}

// replacePart puts what is loaded in place of what is shown.
function replacePart(html) {
  const next = parse(html);
  const reused = [];
  if (mayMove) {
    for (const frame of part.querySelectorAll("iframe")) shelf.moveBefore(frame, null);
    for (const frame of next.querySelectorAll("iframe")) {
      const old = drawn.get(frame.getAttribute("src"));
      if (!old) continue;
      const place = document.createElement("span");
      frame.replaceWith(place);
      old.title = frame.title;
      reused.push([place, old]);
    }
  }
  part.replaceChildren(next);
  for (const [place, old] of reused) {
    place.parentNode.moveBefore(old, place);
    place.remove();
  }
  scaleFrames(part);
  part.querySelectorAll("iframe").forEach(keepFrame);
  for (const [src, frame] of drawn) {
    if (drawn.size <= drawnMost) break;
    if (part.contains(frame)) continue;
    drawn.delete(src);
    frame.remove();
  }
}

// drawAhead draws the pages of a part that is not shown yet.
function drawAhead(html) {
  if (!mayMove) return;
  for (const frame of parse(html).querySelectorAll("iframe")) {
    if (drawn.has(frame.getAttribute("src"))) continue;
    shelf.append(frame);
    keepFrame(frame);
  }
}

// A stepper moves along turns or revisions: by slider, buttons, keys and links.
function stepper(root) {
  const slider = root.querySelector("input[type=range]");
  const output = root.querySelector("output");
  const kept = new Map(); // parts by number: going back is at once
  const keptMost = 60;
  let wanted = Number(slider.value);
  kept.set(wanted, Promise.resolve(part.innerHTML));

  const at = (name, n) => root.dataset[name].replace("{n}", n);

  function get(n) {
    if (!kept.has(n)) {
      const loading = load(at("part", n));
      loading.catch(() => kept.delete(n));
      kept.set(n, loading);
      if (kept.size > keptMost) kept.delete(kept.keys().next().value);
    }
    return kept.get(n);
  }

  function ahead(n) {
    if (n < Number(slider.min) || n > Number(slider.max)) return;
    get(n).then((html) => wanted !== n && Math.abs(wanted - n) === 1 && drawAhead(html), () => {});
  }

  function show(html, n) {
    replacePart(html);
    history.replaceState(null, "", at("link", n));
  }

  function mark() {
    slider.value = wanted;
    output.value = wanted + " of " + slider.max;
    for (const button of root.querySelectorAll("[data-step]")) {
      const to = wanted + Number(button.dataset.step);
      const there = to >= Number(slider.min) && to <= Number(slider.max);
      button.setAttribute("aria-disabled", String(!there));
      if (there) button.setAttribute("href", at("link", to));
    }
  }

  async function go(n) {
    n = Math.min(Math.max(n, Number(slider.min)), Number(slider.max));
    if (n === wanted) return;
    const direction = Math.sign(n - wanted);
    wanted = n;
    mark();
    try {
      const html = await get(n);
      if (wanted !== n) return; // the slider is elsewhere by now
      show(html, n);
      ahead(n + direction);
    } catch {
      location.assign(at("link", n)); // the page itself says what is wrong
    }
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-step], [data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(link.dataset.go ? Number(link.dataset.go) : wanted + Number(link.dataset.step));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, pre, .scroll")) return;
    const to = { ArrowLeft: wanted - 1, ArrowRight: wanted + 1, Home: Number(slider.min), End: Number(slider.max) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });

  document.body.append(shelf);
  part.querySelectorAll("iframe").forEach(keepFrame);
  addEventListener("load", () => {
    for (const frame of part.querySelectorAll("iframe")) frame.dataset.drawn = "";
    ahead(wanted + 1);
    ahead(wanted - 1);
  });

  // A task that is at work is followed, unless somebody looks at an earlier turn.
  if (["active", "executing", "correcting"].includes(root.dataset.status)) {
    setInterval(async () => {
      if (document.hidden || wanted !== Number(slider.max)) return;
      const html = await load(root.dataset.newest).catch(() => null);
      if (html === null || wanted !== Number(slider.max)) return;
      const turn = parse(html).querySelector("[data-n]");
      if (!turn) return;
      const n = Number(turn.dataset.n);
      kept.clear();
      const grown = n !== wanted;
      slider.max = turn.dataset.last;
      wanted = n;
      mark();
      if (grown || part.querySelectorAll(".card").length !== turn.querySelectorAll(".card").length) show(html, n);
    }, 2000);
  }
}

// A list that is kept up to date while its box is ticked and nothing in it is marked.
function live(box) {
  setInterval(async () => {
    if (!box.checked || document.hidden || part.querySelector("input:checked")) return;
    const html = await load(location.href).catch(() => null);
    if (html !== null && !part.querySelector("input:checked")) part.innerHTML = html;
  }, 3000);
}

scaleFrames(document);
document.querySelectorAll("[data-stepper]").forEach(stepper);
document.querySelectorAll("input[data-live]").forEach(live);

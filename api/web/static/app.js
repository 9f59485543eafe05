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

  function show(html, n) {
    part.innerHTML = html;
    scaleFrames(part);
    history.replaceState(null, "", at("link", n));
    performance.mark("shown", { detail: n });
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
      const next = n + direction;
      if (next >= Number(slider.min) && next <= Number(slider.max)) get(next).catch(() => {});
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

  // A task that is at work is followed, unless somebody looks at an earlier turn.
  if (["active", "executing", "correcting"].includes(root.dataset.status)) {
    setInterval(async () => {
      if (document.hidden || wanted !== Number(slider.max)) return;
      const html = await load(root.dataset.newest).catch(() => null);
      if (html === null || wanted !== Number(slider.max)) return;
      const box = document.createElement("template");
      box.innerHTML = html;
      const turn = box.content.querySelector("[data-n]");
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

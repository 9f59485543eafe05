"use strict";

// The clock in the header: the raw document never stays the same for long.
const clock = document.getElementById("clock");
const tick = () => {
  const now = new Date();
  clock.dateTime = now.toISOString();
  clock.textContent = now.toLocaleTimeString("en-GB");
};
tick();
setInterval(tick, 1000);

// Buttons that lead to a page. A button without the attribute is a dead one.
for (const button of document.querySelectorAll("button[data-href]")) {
  button.addEventListener("click", () => location.assign(button.dataset.href));
}

// Messages that vanish by themselves.
for (const toast of document.querySelectorAll("[data-vanish]")) {
  setTimeout(() => toast.remove(), Number(toast.dataset.vanish));
}

// The menu: opened by its button, closed by Escape or a click elsewhere.
const more = document.getElementById("more");
const menu = document.getElementById("more-menu");
const show = (open) => {
  menu.hidden = !open;
  more.setAttribute("aria-expanded", String(open));
};
more.addEventListener("click", (event) => {
  event.stopPropagation();
  show(menu.hidden);
});
document.addEventListener("click", () => show(false));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") show(false);
});

// The list narrows while one types; Enter asks the server for the same.
const search = document.getElementById("q");
search?.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  let shown = 0;
  for (const row of document.querySelectorAll("#patients tbody tr")) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
    shown += row.hidden ? 0 : 1;
  }
  document.getElementById("count").textContent = String(shown);
  document.getElementById("nobody").hidden = shown > 0;
});

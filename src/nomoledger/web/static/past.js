// Steps through the past: what happens at a place while the control is moved, arrow keys, and play.
"use strict";
const STEP_MS = 1200, lists = new Map();
let playing = 0;
const step = rel => document.querySelector(`#moment a[rel=${rel}]`);
const listAt = (address, start) => {
  const key = `${address}?from=${start}`;
  if (!lists.has(key)) lists.set(key, fetch(key, {credentials: "same-origin"}).then(async answer =>
    [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll(".listed li")]));
  return lists.get(key);
};
async function tell(control) {
  const size = Number(control.dataset.listed), place = Number(control.value), start = Math.floor(place / size) * size;
  const found = (await listAt(control.dataset.list, start))[place - start];
  if (!found || Number(control.value) !== place) return;
  document.getElementById("where").replaceChildren(...[...found.childNodes].map(node => node.cloneNode(true)));
  control.setAttribute("aria-valuetext", found.textContent);
}
function play(isOn) {
  clearTimeout(playing);
  playing = isOn ? setTimeout(() => step("next")?.click(), STEP_MS) : 0;
  const button = document.getElementById("play");
  button.textContent = isOn ? "Pause" : "Play";
  button.setAttribute("aria-pressed", String(Boolean(isOn)));
}
function arrived() {
  const control = document.getElementById("place");
  if (playing) play(step("next") && Number(control.value) < Number(control.max));
  setTimeout(() => document.querySelectorAll("#moment [hx-preload]").forEach(link => link.dispatchEvent(new Event("near"))), 150);
}
document.addEventListener("input", event => { if (event.target.id === "place") { play(false); tell(event.target).catch(() => {}); } });
document.addEventListener("click", event => { if (event.target.id === "play") play(!playing); });
document.addEventListener("keydown", event => {
  const isBusy = event.target.closest("input, textarea, select, button, .scroll") || event.altKey || event.ctrlKey || event.metaKey;
  const rel = {ArrowLeft: "prev", ArrowRight: "next"}[event.key];
  if (rel && !isBusy && step(rel)) { event.preventDefault(); step(rel).click(); }
});
document.addEventListener("htmx:after:swap", arrived);
document.addEventListener("htmx:error", () => play(false));
document.addEventListener("DOMContentLoaded", () => setTimeout(arrived));

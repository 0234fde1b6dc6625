// The page follows the game: htmx shows it anew when the game has gone on (see base.html).
// It stays as it is while somebody fills in a form, and if it is the answer to a form. Then it says so.
"use strict";
document.documentElement.classList.add("scripts");
let shown = null, begun = false;
document.addEventListener("input", () => { begun = true; });
document.addEventListener("htmx:sse:before:message", event => {
  const last = event.detail.message.data, isNews = shown !== null && shown !== last;
  shown = last;
  const isStill = begun || document.querySelector("[data-still]");
  if (isNews && isStill) document.querySelector(".news").hidden = false;
  if (!isNews || isStill) event.preventDefault();
});

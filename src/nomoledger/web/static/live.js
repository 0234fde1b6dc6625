// The page follows the game: htmx shows it anew when the game has gone on (see base.html).
// It stays as it is while somebody fills in a form, and if it is the answer to a form. Then it says so.
// It also stays as it is once a form is sent: a second click on the same button sends the same form.
// A form keeps its id when somebody goes back and sends it again as it was: the answer may be lost.
"use strict";
document.documentElement.classList.add("scripts");
function tellNews() {
  const says = document.querySelector(".news");
  if (!says.hasChildNodes()) says.append(document.getElementById("gone-on").content.cloneNode(true));
}
function keepId(form, button) {
  const id = form.elements.namedItem("id"), action = form.getAttribute("action") ?? "";
  if (!id || !action.startsWith("/games/")) return;
  const fields = new URLSearchParams(new FormData(form, button));
  fields.delete("id");
  fields.delete("since");  // What happened since does not make it another request.
  const what = `${action}?${fields}`, before = history.state?.sent;
  if (before?.what === what && before.id !== id.value) {
    id.value = before.id;
    form.append(Object.assign(document.createElement("input"), {type: "hidden", name: "again", value: "yes"}));
  }
  history.replaceState({...history.state, sent: {what, id: id.value}}, "");
}
let shown = null, begun = false, sent = false;
document.addEventListener("input", () => { begun = true; });
document.addEventListener("submit", event => {
  sent = !event.defaultPrevented;
  if (sent) keepId(event.target, event.submitter);
});
addEventListener("pageshow", () => { sent = false; });
document.addEventListener("htmx:sse:before:message", event => {
  const last = event.detail.message.data, isNews = shown !== null && shown !== last;
  if (sent) { event.preventDefault(); return; }
  shown = last;
  const isStill = begun || document.querySelector("[data-still]");
  if (isNews && isStill) tellNews();
  if (!isNews || isStill) event.preventDefault();
});
// An answer that was asked for before somebody began to write does not wipe out what was written.
document.addEventListener("htmx:before:swap", event => {
  if (!(begun || sent) || !event.target.matches(".news")) return;
  event.preventDefault();
  if (!sent) tellNews();
});

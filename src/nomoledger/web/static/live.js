// Says when the game has gone on. The page is shown anew by itself if nobody has begun to fill in a form.
"use strict";
const address = document.body.dataset.news;
if (address && "EventSource" in window) {
  let shown = null, begun = false;
  document.addEventListener("input", () => { begun = true; });
  const news = new EventSource(address);
  news.addEventListener("head", event => {
    if (shown === null) { shown = event.data; return; }
    if (event.data === shown) return;
    const isStill = document.querySelector("[data-still]") || location.pathname.endsWith("/try");
    if (begun || isStill) document.querySelector(".news").hidden = false;
    else location.reload();
  });
  addEventListener("pagehide", () => news.close());
}
// A part of the page that takes long is put in its place as soon as it is there.
const later = document.querySelector("[data-later]");
if (later) {
  const ask = tries => fetch(later.dataset.later, {credentials: "same-origin"}).then(async answer => {
    if (answer.status === 200) later.innerHTML = await answer.text();
    else if (answer.status === 202 && tries) ask(tries - 1);
  }).catch(() => {});
  ask(20);
}
// A draft is checked while it is written: two seconds after the last change of its changes.
const draft = document.querySelector("form[data-check]");
if (draft) {
  let timer = 0, asked = 0;
  draft.elements.changes.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const mine = ++asked, fields = new URLSearchParams(new FormData(draft));
      fields.set("do", "check");
      const answer = await fetch(draft.action, {method: "POST", body: fields, credentials: "same-origin"}).catch(() => null);
      if (!answer || !answer.ok || mine !== asked) return;
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("findings");
      if (found) document.getElementById("findings").replaceWith(found);
    }, 2000);
  });
}

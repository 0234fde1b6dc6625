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
    if (begun || location.pathname.endsWith("/try")) document.querySelector(".news").hidden = false;
    else location.reload();
  });
  addEventListener("pagehide", () => news.close());
}

// Deadlines are shown in the reader's own time zone. Without scripts they are in UTC.
"use strict";
const asLocal = new Intl.DateTimeFormat(document.documentElement.lang, {
  weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hour12: false, timeZoneName: "short",
});
function showLocalDeadlines() {
  for (const each of document.querySelectorAll("time.due")) {
    const local = asLocal.format(new Date(each.dateTime));
    if (each.textContent !== local) each.textContent = local;
  }
}
showLocalDeadlines();
new MutationObserver(showLocalDeadlines).observe(document.body, {childList: true, characterData: true, subtree: true});

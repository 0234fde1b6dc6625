// Times are shown in the reader's own time zone. Without scripts they are in UTC.
"use strict";
const asLocal = new Intl.DateTimeFormat(document.documentElement.lang, {
  weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", hour12: false, timeZoneName: "short",
});
const asLocalDate = new Intl.DateTimeFormat(document.documentElement.lang, {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false, timeZoneName: "short",
});
function showLocalTimes() {
  for (const each of document.querySelectorAll("time[datetime]")) {
    const local = (each.className === "due" ? asLocal : asLocalDate).format(new Date(each.dateTime));
    if (each.textContent !== local) each.textContent = local;
  }
}
showLocalTimes();
new MutationObserver(showLocalTimes).observe(document.body, {childList: true, characterData: true, subtree: true});

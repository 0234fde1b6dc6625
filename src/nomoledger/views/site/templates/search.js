// Shows the items of the list whose words contain all that are looked for. It makes no markup.
"use strict";

const box = document.querySelector(".search");
const input = document.getElementById("words");
const found = document.getElementById("found");
const items = Array.from(document.querySelectorAll(".found li"));

function show() {
  const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  items.forEach((item, place) => {
    const fits = wanted.every(word => searchIndex[place].includes(word));
    item.hidden = !fits;
    count += fits;
  });
  found.textContent = wanted.length
    ? `${count} of ${items.length} found.`
    : "Everything on this site, as a list.";
}

box.hidden = false;
input.addEventListener("input", show);
input.value = new URLSearchParams(location.search).get("q") || "";
show();

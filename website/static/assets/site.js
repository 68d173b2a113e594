/* The search field, and a menu that the keyboard can open. */
import { prepare, search } from "./search.js";

const form = document.querySelector(".find");
const field = document.getElementById("find");
const list = document.getElementById("found");
const base = new URL(form.dataset.base.replace(/\/?$/, "/"), location.href);
let index;
let chosen = -1;

async function load() {
  index ??= fetch(new URL("assets/search.json", base)).then((response) => response.json()).then(prepare);
  return index;
}

function option(address, title, text) {
  const item = document.createElement("li");
  item.role = "option";
  item.id = `found-${list.children.length}`;
  const link = document.createElement("a");
  link.href = address;
  link.tabIndex = -1;
  const head = document.createElement("strong");
  head.textContent = title;
  const words = document.createElement("span");
  words.textContent = text;
  link.append(head, words);
  item.append(link);
  list.append(item);
}

function choose(number) {
  chosen = Math.max(-1, Math.min(number, list.children.length - 1));
  [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
  if (chosen >= 0) {
    field.setAttribute("aria-activedescendant", list.children[chosen].id);
    list.children[chosen].scrollIntoView({ block: "nearest" });
  } else field.removeAttribute("aria-activedescendant");
}

function show(open) {
  list.hidden = !open;
  field.setAttribute("aria-expanded", String(open));
}

async function find() {
  const query = field.value;
  const ready = await load();
  if (query !== field.value) return;
  list.replaceChildren();
  choose(-1);
  if (!query.trim()) return show(false);
  for (const entry of search(ready, query)) {
    option(new URL(entry.address, base), entry.title, entry.isText ? entry.text : entry.text.slice(0, 120));
  }
  if (query.length > 24) {
    option(new URL(`explain/#text=${encodeURIComponent(query)}`, base), "Explain this text", "reads it in your browser, whole tracebacks too");
  }
  if (!list.children.length) option(new URL("errors/", base), "Nothing was found", "all texts, in the order of their letters");
  show(true);
}

field.addEventListener("focus", load);
field.addEventListener("input", find);
field.addEventListener("paste", (event) => {
  /* A field of one line would join the lines of a traceback without a space. */
  const text = event.clipboardData.getData("text").replace(/\s+/g, " ");
  event.preventDefault();
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  find();
});
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
  } else if (event.key === "Escape") show(false);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await find();
  list.children[Math.max(chosen, 0)]?.querySelector("a").click();
});
/* A click on what was found comes after the field has lost the focus; and by then the focus may be back. */
form.addEventListener("focusout", () => {
  setTimeout(() => { if (!form.contains(document.activeElement)) show(false); }, 150);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  }
});

const menu = document.getElementById("menu");
const drawer = document.getElementById("__drawer");
drawer.addEventListener("change", () => menu.setAttribute("aria-expanded", String(drawer.checked)));
menu.addEventListener("click", () => {
  drawer.click();
  if (drawer.checked) setTimeout(enterMenu, 50, 100);
});
/* The menu slides in, and takes the focus only when it is there. */
function enterMenu(times) {
  const first = [...document.querySelectorAll(".md-nav--primary > .md-nav__list > .md-nav__item > a")].find((link) => link.checkVisibility());
  if (!drawer.checked || document.activeElement !== menu) return;
  first?.focus();
  if (document.activeElement === menu && times) setTimeout(enterMenu, 50, times - 1);
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.activeElement.closest(".md-sidebar--primary") && menu.checkVisibility()) {
    if (drawer.checked) drawer.click();
    menu.focus();
  }
});

/* What scrolls sideways can be scrolled by keys; the theme puts tables into what scrolls when it likes. */
function reachable() {
  for (const block of document.querySelectorAll("pre > code, .md-typeset__scrollwrap, p:has(> img)")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
  }
}
new MutationObserver(reachable).observe(document.querySelector("article"), { childList: true, subtree: true });
addEventListener("resize", reachable);
reachable();

/* The field on the first page hands its text to the box; it goes into no address. */
const hand = document.getElementById("hand");
hand?.addEventListener("submit", (event) => {
  const text = document.getElementById("hand-text").value;
  if (!text.trim()) return;
  try {
    sessionStorage.setItem("lossguard-text", text);
  } catch {
    event.preventDefault();
    location.href = new URL(`explain/#text=${encodeURIComponent(text)}`, base);
  }
});

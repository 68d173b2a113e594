/* The box: takes a text or a file, lets the worker answer, shows what it says. */
const LARGEST = 50_000_000;
const LARGEST_SHOWN = 300_000;
const LONGEST_LINK = 60_000;

const element = (name) => document.getElementById(name);
const form = element("box");
const paste = element("paste");
const state = element("state");
const progress = element("progress");
const answer = element("answer");
const main = form.querySelector(".main");
let worker;
let held;
let number = 0;

const say = (words) => { state.textContent = words; };

function load() {
  if (worker) return worker;
  worker = new Worker(new URL("./box-worker.js", import.meta.url), { type: "module" });
  progress.hidden = false;
  say("Loading Python, once");
  worker.addEventListener("message", heard);
  worker.addEventListener("error", (event) => failed(event.message || "it did not start"));
  return worker;
}

function heard({ data }) {
  if (data.progress !== undefined) {
    progress.value = data.progress;
    if (!main.disabled) say(`Loading Python, once: ${Math.round(100 * data.progress)} %`);
  } else if (data.ready) {
    progress.hidden = true;
    form.dataset.ready = "true";
    if (!main.disabled) say("Ready. Nothing that you paste leaves this page.");
  } else if (data.failed !== undefined) failed(data.failed);
  else if (data.number === number) show(JSON.parse(data.answer));
}

/* The page tells, for tests, how many answers it has shown. */
const done = () => { form.dataset.answers = String(Number(form.dataset.answers ?? 0) + 1); };

function failed(words) {
  done();
  worker?.terminate();
  worker = undefined;
  main.disabled = false;
  progress.hidden = true;
  delete form.dataset.ready;
  say(`Python in this page has stopped: ${words.slice(0, 300)}. Try again, or run lossguard explain on your machine.`);
}

function button(words, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", () => action(made));
  return made;
}

async function copy(text, made) {
  const before = made.textContent;
  try {
    await navigator.clipboard.writeText(text);
    made.textContent = "Copied";
  } catch {
    made.textContent = "Not allowed here";
  }
  setTimeout(() => { made.textContent = before; }, 1500);
}

function show(told) {
  done();
  main.disabled = false;
  answer.replaceChildren();
  if (told.problem) {
    say(told.problem);
    return;
  }
  say(told.window === "lint" ? "This is code, so it was linted." : "");
  /* The one renderer of reports, lossguard.reports.html, has escaped everything that is not its own. */
  answer.innerHTML = told.html;
  for (const code of answer.querySelectorAll("[data-copy]")) {
    const made = button("Copy", (self) => copy(code.dataset.copy, self));
    made.className = "copy";
    made.setAttribute("aria-label", `Copy ${code.dataset.copy}`);
    code.after(made);
  }
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(
    button("Copy as text", (self) => copy(told.text, self)),
    button("Copy as JSON", (self) => copy(JSON.stringify(told.report, null, 2), self)),
  );
  answer.append(tools);
}

async function explain() {
  const data = held ? await held.arrayBuffer() : new TextEncoder().encode(paste.value).buffer;
  const name = held?.name ?? "";
  if (!name && !paste.value.trim()) {
    answer.replaceChildren();
    say("The box is empty: paste an error, a log or code.");
    done();
    paste.focus();
    return;
  }
  main.disabled = true;
  load();
  say(form.dataset.ready ? "Reading" : "Loading Python, then reading");
  number += 1;
  worker.postMessage({ number, data, name }, [data]);
}

async function take(file) {
  answer.replaceChildren();
  if (file.size > LARGEST) {
    say(`${file.name} is larger than 50 MB: take the part around the first error.`);
    return;
  }
  held = file;
  if (file.size <= LARGEST_SHOWN) paste.value = (await file.text()).replaceAll("\0", "\ufffd");
  else paste.value = `${file.name}, ${(file.size / 1e6).toFixed(1)} MB`;
  explain();
}

/* Links: the text is packed and stands behind the #, which no browser sends. */
async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(word) {
  const letters = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > LARGEST) throw new Error("too large");
    parts.push(part.value);
  }
  return new Blob(parts).text();
}

async function link(made) {
  const word = held ? "" : await packed(paste.value);
  if (held || word.length > LONGEST_LINK) {
    say("This is too long for a link; copy the answer as text instead.");
    return;
  }
  history.replaceState(null, "", `#z=${word}`);
  await copy(location.href, made);
}

async function fromLink() {
  const [kind, word] = location.hash.slice(1).split(/=(.*)/s);
  try {
    if (kind === "text") paste.value = decodeURIComponent(word);
    else if (kind === "z") paste.value = await unpacked(word);
    else return;
  } catch {
    say("This link is damaged: it holds no text that can be read.");
    return;
  }
  held = undefined;
  explain();
}

paste.addEventListener("focus", load);
paste.addEventListener("input", () => { held = undefined; });
paste.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) explain();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  explain();
});
element("choose").addEventListener("click", () => element("file").click());
element("file").addEventListener("change", (event) => {
  if (event.target.files.length) take(event.target.files[0]);
  event.target.value = "";
});
element("link").addEventListener("click", (event) => link(event.currentTarget));
element("clear").addEventListener("click", () => {
  held = undefined;
  paste.value = "";
  answer.replaceChildren();
  say("");
  history.replaceState(null, "", location.pathname);
  paste.focus();
});
for (const kind of ["dragenter", "dragover"]) {
  form.addEventListener(kind, (event) => {
    event.preventDefault();
    form.classList.add("over");
    load();
  });
}
form.addEventListener("dragleave", () => form.classList.remove("over"));
form.addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("over");
  const file = event.dataTransfer.files[0];
  if (file) take(file);
});
/* What was pasted on the first page. */
function handed() {
  try {
    const text = sessionStorage.getItem("lossguard-text");
    sessionStorage.removeItem("lossguard-text");
    return text;
  } catch {
    return null;
  }
}

addEventListener("hashchange", fromLink);
const given = handed();
if (given) {
  paste.value = given;
  explain();
} else fromLink();

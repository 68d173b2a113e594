/* Search that finds pasted messages: words weighed by how rare they are, in any order, numbers and punctuation left out. */

const WORD = /[a-z][a-z0-9]*(?:_[a-z0-9]+)*/g;
/* Words that any traceback has. */
const COMMON = new Set("a an and are as at be but by file for from in is it line most of on or recent call last the to traceback was with".split(" "));

export function words(text) {
  const found = new Set();
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    if (COMMON.has(word)) continue;
    found.add(word);
    if (word.includes("_")) for (const part of word.split("_")) if (part.length > 2) found.add(part);
  }
  return found;
}

/* The letters alone: numbers and shapes differ from call to call. */
const letters = (text) => ` ${text.toLowerCase().replace(/[^a-z_]+/g, " ").trim()} `;

/* Rows are [address, title, text, the weight that the text of an error has among its like, 0 for sections of pages]. */
export function prepare(rows) {
  const entries = rows.map(([address, title, text, rank]) => ({
    address, title, text, rank, isText: rank > 0, lowered: title.toLowerCase(), words: words(rank ? text : `${title} ${text}`), named: words(title), letters: rank ? letters(text) : "",
  }));
  const counts = new Map();
  for (const entry of entries) for (const word of entry.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (word) => Math.log(1 + entries.length / (counts.get(word) ?? entries.length));
  for (const entry of entries) entry.total = [...entry.words].reduce((sum, word) => sum + weight(word), 0);
  return { entries, weight };
}

export function search({ entries, weight }, query, limit = 8) {
  const code = /^\s*lg(\d{3})\s*$/i.exec(query);
  const wanted = code ? new Set([`lg${code[1]}`]) : words(query.slice(0, 20000));
  if (!wanted.size) return [];
  const last = [...wanted].at(-1);
  const isShort = wanted.size < 5;
  const plain = query.trim().toLowerCase();
  const whole = letters(query.slice(0, 20000));
  const total = [...wanted].reduce((sum, word) => sum + weight(word), 0);
  const best = new Map();
  for (const entry of entries) {
    let shared = 0, named = 0;
    for (const word of wanted) {
      const begins = isShort && word === last && word.length > 2 && [...entry.words].some((each) => each.startsWith(word));
      if (entry.words.has(word) || begins) shared += weight(word);
      if (entry.named.has(word)) named += weight(word);
    }
    if (!shared && !named) continue;
    /* A text must be in the query as far as possible; a page must have as much of the query as possible. */
    const stands = !entry.isText || !whole.includes(entry.letters) ? 1 : query.includes(entry.text) ? 4 : 3;
    const score = entry.isText
      ? ((stands * shared * shared) / (entry.total + 0.15 * total)) * (1 + entry.rank / 1000)
      : (0.8 * shared * shared) / total + (isShort ? 0.6 * named : 0);
    const isNamed = plain.length > 4 && (entry.lowered.startsWith(`${plain} `) || entry.lowered.endsWith(` ${plain}`));
    const page = entry.address.split("#")[0];
    const known = best.get(page);
    if (!known || known.score < score + (isNamed ? 1000 : 0)) best.set(page, { ...entry, score: score + (isNamed ? 1000 : 0) });
  }
  return [...best.values()].sort((one, other) => other.score - one.score).slice(0, limit);
}

/* What the theme's own script expects before it runs; the theme has it inline, which the content policy forbids. */
const base = document.currentScript.dataset.base;
globalThis.__md_scope = new URL(base, location);
globalThis.__md_hash = (text) => [...text].reduce((hash, letter) => (hash << 5) - hash + letter.charCodeAt(0), 0);
globalThis.__md_get = (key, store = localStorage, scope = __md_scope) => JSON.parse(store.getItem(`${scope.pathname}.${key}`));
globalThis.__md_set = (key, value, store = localStorage, scope = __md_scope) => {
  try {
    store.setItem(`${scope.pathname}.${key}`, JSON.stringify(value));
  } catch {
    /* A browser that keeps nothing shows the page as it is. */
  }
};

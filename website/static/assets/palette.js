/* Light or dark, as chosen before or as the system has it; runs before anything is drawn. */
{
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const kept = __md_get("__palette");
  const scheme = kept?.color?.scheme ?? (dark ? "slate" : "default");
  document.body.setAttribute("data-md-color-scheme", scheme);
}

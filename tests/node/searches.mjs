// What the site's search finds: `node searches.mjs SITE QUERIES.json`, a list of addresses for each on the standard output.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [site, queries] = process.argv.slice(2);
const assets = path.resolve(site, "assets");
// The site's scripts are modules by the type of their element; node goes by the name of a file.
const source = readFileSync(path.join(assets, "search.js"), "utf8");
const { prepare, search } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const index = prepare(JSON.parse(readFileSync(path.join(assets, "search.json"), "utf8")));
const found = JSON.parse(readFileSync(queries, "utf8")).map((query) => search(index, query).map((entry) => entry.address));
process.stdout.write(JSON.stringify(found));

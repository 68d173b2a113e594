// What lossguard answers on the Python of Pyodide: `node answers.mjs SITE QUESTIONS.json`, JSON on the standard output.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [site, questions] = process.argv.slice(2);
const home = path.resolve(site, "assets/python");
const { loadPyodide } = await import(pathToFileURL(path.join(home, "pyodide.mjs")));
const { wheel } = JSON.parse(readFileSync(path.join(home, "box.json"), "utf8"));
const python = await loadPyodide({ indexURL: home });
python.unpackArchive(new Uint8Array(readFileSync(path.join(home, wheel))), "wheel");
python.globals.set("questions", readFileSync(questions, "utf8"));
python.globals.set("answering", readFileSync(path.join(import.meta.dirname, "answering.py"), "utf8"));
process.stdout.write(python.runPython("exec(answering); answers(questions)"));

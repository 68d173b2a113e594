/* Python in a worker of its own, so that the page stays alive whatever a text does. */
import { loadPyodide } from "./python/pyodide.mjs";

const home = new URL("./python/", import.meta.url);
let ask;

/* Every file that Python loads passes here, and is counted. */
function counted(sizes, tell) {
  const plain = self.fetch.bind(self);
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  let loaded = 0;
  self.fetch = async (...request) => {
    const response = await plain(...request);
    if (!response.ok || !response.body) return response;
    const count = new TransformStream({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        tell(Math.min(loaded / total, 1));
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(count), { headers: response.headers, status: response.status });
  };
}

async function start() {
  const { wheel, sizes } = await (await fetch(new URL("box.json", home))).json();
  counted(sizes, (share) => self.postMessage({ progress: share }));
  const python = await loadPyodide({ indexURL: home.href });
  const archive = await (await fetch(new URL(wheel, home))).arrayBuffer();
  python.unpackArchive(archive, "wheel");
  const answer = python.pyimport("lossguard.integrations.browser").answer;
  ask = (data, name) => {
    const bytes = python.toPy(data);
    try {
      return answer(bytes.tobytes(), name);
    } finally {
      bytes.destroy();
    }
  };
}

const ready = start().then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ failed: String(error) }),
);

self.onmessage = async ({ data: { number, data, name } }) => {
  await ready;
  if (!ask) return;
  try {
    self.postMessage({ number, answer: ask(new Uint8Array(data), name) });
  } catch (error) {
    self.postMessage({ number, failed: String(error) });
  }
};

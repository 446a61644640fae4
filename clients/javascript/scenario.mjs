// A program that tests drive: a JSON command in each line of the input, a JSON line for each result and event.
import { createInterface } from "node:readline";
import { Punctual, RetryAfter } from "punctual-client";

const servers = new Map(), workers = new Map(), seen = new Set(), going = new Set();

class CardError extends Error {
  name = "CardError";
}

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function handle(payload, delivery) {
  const shown = payload instanceof Uint8Array ? String.fromCharCode(...payload) : payload;
  tell({ event: "begin", id: delivery.id, attempt: delivery.attempt, late: delivery.latenessMillis, payload: shown });
  const action = payload?.do ?? "ok";
  if (action === "fail") throw new CardError("declined \udc80");
  if (action === "exit") throw null;
  if (action === "huge") throw new CardError("x".repeat(9_000_000));
  if (action === "odd") throw Object.create(null, { message: { get() { throw "no text"; } } });
  if (action === "block") for (const end = Date.now() + payload.millis; Date.now() < end;);
  if (action === "retry" && delivery.attempt === 1) delivery.retry("50ms", "not yet \udc80");
  if (action === "never") throw new RetryAfter("400000d"); // which the server refuses
  if (action === "bury") delivery.bury("no such card \udc80");
  if (action === "end") delivery.endRecurrence();
  if (action === "later" && !seen.has(delivery.id)) {
    seen.add(delivery.id);
    throw new RetryAfter("50ms");
  }
  if (action === "hang") {
    while (!going.has(delivery.id) && !delivery.signal.aborted) await sleep(20);
    tell({ event: delivery.signal.aborted ? "lost" : "end", id: delivery.id });
  }
}

async function run({ do: action, url, queue: name, id, options, payload, bytes, messages, ...rest }) {
  const { concurrency, lease, grace, token, timeout = "10s", patience = "90s" } = rest;
  if (action === "go") { going.add(id); return null; }
  if (action === "close") { await workers.get(name).close(); return null; }
  const key = `${url} ${token}`;
  if (!servers.has(key)) servers.set(key, new Punctual(url, { token, timeout, patience }));
  const queue = servers.get(key).queue(name);
  switch (action) {
    case "work": {
      const worker = queue.work(handle, { concurrency, lease, name: "scenario" });
      worker.ended.catch((e) => tell({ event: "refused", id: name, error: e.message }));
      workers.set(name, { close: () => worker.close({ grace }) });
      return null;
    }
    case "schedule": return (await queue.schedule(bytes == null ? payload : Uint8Array.from(bytes, (c) => c.charCodeAt(0)), options)).outcome;
    case "scheduleAll": return (await queue.scheduleAll(messages)).map((result) => result.outcome);
    case "reschedule": return queue.reschedule(id, options);
    case "find": return (await queue.find(id))?.state ?? null;
    default: return queue[action](id);
  }
}

const input = createInterface({ input: process.stdin });
input.on("line", async (line) => {
  const command = JSON.parse(line);
  try {
    tell({ n: command.n, result: await run(command) });
  } catch (e) {
    tell({ n: command.n, error: String(e.message) });
  }
});
input.on("close", () => process.exit());
if (process.argv[2] === "wait") {
  process.once("SIGTERM", async () => {
    await Promise.all([...workers.values()].map((worker) => worker.close()));
    tell({ event: "closed" });
    process.exit();
  });
}

// A process of a trial with BullMQ: child.mjs rates|produce|consume <orders>. It works like QueueChild, ScheduleRates
// and Producer in Java, with asynchronous loops instead of threads, and prints and logs the same.
import { EventEmitter, once } from "node:events";
import { openSync, statSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue, Worker } from "bullmq";

const [role, word] = process.argv.slice(2);
const orders = JSON.parse(word);
const connection = { url: orders.url };

const BACKLOG = 2 ** 40, WARM_UP = 2 ** 41, BATCH = 1_000, HOUR = 3_600_000, MAX_HANDLES = 100_000;
const MIN_DELAY = 1_000, MAX_DELAY = 5_000, MAX_IN_FLIGHT = 5_000;
const FIRST_ROUND = 1_250, LONGEST_WARM_UP = 60_000, ROW = 24;
const warmUpRate = orders.perSecond > 0 ? orders.perSecond : 5_000;
const warmUpCount = warmUpRate * orders.warmUpSeconds;

const say = (line) => process.stdout.write(`${line}\n`);
const micros = () => Math.round((performance.timeOrigin + performance.now()) * 1_000);
const random = (below) => Math.floor(Math.random() * below);

/** Logs messages in the format of MessageLog. */
class Log {
  constructor(file) {
    this.file = openSync(file, "a");
  }

  add(number, due) {
    const row = Buffer.alloc(ROW);
    row.writeBigInt64BE(BigInt(number), 0);
    row.writeBigInt64BE(BigInt(due), 8);
    row.writeBigInt64BE(BigInt(micros()), 16);
    writeSync(this.file, row);
  }
}

/** A job with the payload of BenchMessage in Base64. The due time is a whole millisecond, like BullMQ's clock. */
function job(number, dueMillis) {
  const payload = Buffer.alloc(100, "x");
  payload.writeBigInt64BE(BigInt(number), 0);
  payload.writeBigInt64BE(BigInt(dueMillis * 1_000), 8);
  const timestamp = Date.now();
  return {
    name: "bench",
    data: payload.toString("base64"),
    opts: { timestamp, delay: Math.max(0, dueMillis - timestamp), removeOnComplete: true },
  };
}

const add = (queue, { name, data, opts }) => queue.add(name, data, opts);

/** Schedules a backlog; returns the ids of an evenly spread sample. */
async function fill(queue, afterMillis) {
  const ids = [], step = Math.max(1, Math.floor(orders.backlog / MAX_HANDLES));
  for (let done = 0; done < orders.backlog; done += BATCH) {
    const jobs = [];
    for (let i = done; i < Math.min(orders.backlog, done + BATCH); i++) {
      jobs.push(job(BACKLOG + i, Date.now() + afterMillis + random(HOUR)));
    }
    const added = await queue.addBulk(jobs);
    for (let i = 0; i < added.length; i += step) ids.push(added[i].id);
  }
  return ids;
}

async function atOnce(queue, first, count, dueMillis, log) {
  for (let done = 0; done < count; done += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - done) }, (_, i) => first + done + i);
    await queue.addBulk(numbers.map((number) => job(number, dueMillis)));
    if (log) for (const number of numbers) log.add(number, dueMillis * 1_000);
  }
}

async function steady(queue, first, count, minDelay, maxDelay, log) {
  const calls = new EventEmitter(), start = performance.now();
  let going = 0;
  for (let i = 0; i < count; i++) {
    const early = start + (i * 1_000) / orders.perSecond - performance.now();
    if (early > 0) await sleep(Math.max(1, early));
    while (going === MAX_IN_FLIGHT) await once(calls, "end");
    going++;
    const dueMillis = Date.now() + minDelay + random(maxDelay - minDelay);
    add(queue, job(first + i, dueMillis)).then(() => {
      log?.add(first + i, dueMillis * 1_000);
      going--;
      calls.emit("end");
    });
  }
  while (going > 0) await once(calls, "end");
}

/** Warms up in rounds, each of which is delivered before the next one; returns the number of messages. */
async function rounds(queue) {
  const end = performance.now() + orders.warmUpSeconds * 1_000;
  let done = 0;
  for (let size = FIRST_ROUND; performance.now() < end; ) {
    const dueMillis = Date.now() + MIN_DELAY;
    await atOnce(queue, WARM_UP + done, size, dueMillis);
    done += size;
    const late = Date.now() - dueMillis;
    await sleep(Math.max(0, -late));
    if ((await delivered(done, end)) && late < 0) size = Math.min(2 * size, warmUpRate);
  }
  await sleep(done > 0 ? 2 * MIN_DELAY : 0);
  return done;
}

/** Waits for deliveries of the warm-up; returns whether they came within a second. */
async function delivered(count, end) {
  const start = performance.now();
  for (let since = start, seen = -1; seen < count && performance.now() - since < 5_000; await sleep(5)) {
    if (performance.now() - end > LONGEST_WARM_UP) break;
    const now = statSync(orders.deliveredLog).size / ROW;
    if (now !== seen) [seen, since] = [now, performance.now()];
  }
  return performance.now() - start < 1_000;
}

async function produce() {
  const queue = new Queue("bench", { connection }), log = new Log(orders.scheduledLog);
  await fill(queue, 0);
  let warmUp = warmUpCount;
  if (orders.perSecond > 0) {
    await steady(queue, WARM_UP, warmUpCount, 1, MIN_DELAY);
  } else {
    warmUp = await rounds(queue);
  }
  say(`filled ${warmUp}`);
  if (orders.perSecond > 0) {
    await steady(queue, 0, orders.count, MIN_DELAY, MAX_DELAY, log);
  } else {
    await atOnce(queue, 0, orders.count, Date.now() + orders.dueInMillis, log);
  }
  say("produced");
}

async function consume() {
  const log = new Log(orders.deliveredLog);
  const handle = async ({ data }) => {
    if (orders.handlerMillis > 0) await sleep(orders.handlerMillis);
    const payload = Buffer.from(data, "base64");
    log.add(payload.readBigInt64BE(0), payload.readBigInt64BE(8));
  };
  const worker = new Worker("bench", handle, { connection, concurrency: orders.handlers });
  worker.on("error", (error) => console.error(error));
  await worker.waitUntilReady();
  say("ready");
}

async function run(callers, call, millis) {
  const start = performance.now(), end = start + millis;
  let done = 0;
  const repeat = async () => {
    while (performance.now() < end) {
      const count = await call();
      done += count;
    }
  };
  await Promise.all(Array.from({ length: callers }, repeat));
  return done / ((performance.now() - start) / 1_000);
}

async function rate(callers, call) {
  await run(callers, call, orders.measureMillis / 2);
  return run(callers, call, orders.measureMillis);
}

async function rates() {
  const queue = new Queue("bench", { connection });
  await queue.waitUntilReady();
  say(`${process.memoryUsage().heapUsed} opened`);
  const ids = await fill(queue, HOUR);
  say(`${process.memoryUsage().heapUsed} filled`);
  await new Promise((told) => process.stdin.once("data", told));
  let number = 0;
  const next = () => job(++number, Date.now() + HOUR);
  const one = async () => {
    await add(queue, next());
    return 1;
  };
  await run(8, one, 5 * orders.measureMillis);
  for (const callers of [1, 8, 64]) {
    say(`${await rate(callers, one)} schedule, ${callers} thread${callers === 1 ? "" : "s"}`);
  }
  const batch = async () => (await queue.addBulk(Array.from({ length: BATCH }, next))).length;
  say(`${await rate(1, batch)} schedule, batches of 1,000`);
  say(`${await rate(1_000, one)} schedule, async`);
  if (ids.length > 0) say(`${await cancelRate(queue, ids)} cancel, 1 thread`);
  say("0 end");
  process.exit(0);
}

async function cancelRate(queue, ids) {
  ids.sort(() => Math.random() - 0.5);
  const start = performance.now();
  let done = 0;
  while (done < ids.length && performance.now() - start < orders.measureMillis) {
    if ((await queue.remove(ids[done])) !== 1) throw new Error("a pending job could not be removed");
    done++;
  }
  return done / ((performance.now() - start) / 1_000);
}

process.stdin.resume().once("end", () => process.exit(0));
await { rates, produce, consume }[role]();

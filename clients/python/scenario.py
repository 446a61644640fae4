"""A program that tests drive: a JSON command in each line of the input, a JSON line for each result and event."""
import json, os, signal, sys, threading, time

from punctual import Punctual, PunctualError, RetryAfter

NAMES = {"ifPresent": "if_present"}
servers, workers, seen, going, lock = {}, {}, set(), set(), threading.Lock()


class CardError(Exception):
    pass


class OddError(Exception):
    def __str__(self):
        raise ValueError("no text")


def tell(**line):
    with lock:
        print(json.dumps(line), flush=True)


def handle(payload, delivery):
    shown = payload.decode("latin-1") if isinstance(payload, bytes) else payload
    tell(event="begin", id=delivery.id, attempt=delivery.attempt, late=delivery.lateness * 1000, payload=shown)
    action = payload.get("do", "ok") if isinstance(payload, dict) else "ok"
    if action == "fail":
        raise CardError("declined \udc80")
    if action == "exit":
        sys.exit(3)
    if action == "huge":
        raise CardError("x" * 9_000_000)
    if action == "odd":
        raise OddError
    if action == "block":
        time.sleep(payload["millis"] / 1000)
    if action == "retry" and delivery.attempt == 1:
        delivery.retry("50ms", "not yet \udc80")
    if action == "bury":
        delivery.bury("no such card \udc80")
    if action == "end":
        delivery.end_recurrence()
    if action == "never":
        raise RetryAfter("400000d")  # which the server refuses
    if action == "later" and delivery.id not in seen:
        seen.add(delivery.id)
        raise RetryAfter("50ms")
    if action == "hang":
        while not (delivery.id in going or delivery.lost.wait(0.02)):
            pass
        tell(event="lost" if delivery.lost.is_set() else "end", id=delivery.id)


def options(command):
    return {NAMES.get(k, k): v for k, v in command.get("options", {}).items()}


def watch(worker, queue, grace):
    try:
        worker.wait(grace)
    except PunctualError as e:
        tell(event="refused", id=queue, error=str(e))


def run(command):
    do, id = command["do"], command.get("id")
    if do == "go":
        return going.add(id)
    if do == "close":
        worker, watcher = workers.pop(command["queue"])
        worker.end()
        return watcher.join()
    url, token = command["url"], command.get("token")
    server = Punctual(url, token, command.get("timeout", "10s"), command.get("patience", "90s"))
    queue = servers.setdefault((url, token), server).queue(command["queue"])
    if do == "work":
        worker = queue.work(handle, concurrency=command["concurrency"], lease=command["lease"], name="scenario")
        if sys.argv[1:] == ["wait"]:
            workers[queue.name] = worker, command["grace"]
            while signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
                time.sleep(0.01)
        else:
            watcher = threading.Thread(target=watch, args=(worker, queue.name, command["grace"]))
            workers[queue.name] = worker, watcher
            watcher.start()
        return None
    if do == "schedule":
        payload = command["bytes"].encode("latin-1") if "bytes" in command else command["payload"]
        return queue.schedule(payload, **options(command))["outcome"]
    if do == "scheduleAll":
        return [result["outcome"] for result in queue.schedule_all(command["messages"])]
    if do == "reschedule":
        return queue.reschedule(id, **options(command))
    if do == "find":
        return (queue.find(id) or {"state": None})["state"]
    return {"cancel": queue.cancel, "runNow": queue.run_now}[do](id)


def answer(command):
    try:
        tell(n=command["n"], result=run(command))
    except (PunctualError, ValueError) as e:
        tell(n=command["n"], error=str(e))


def read():
    for line in sys.stdin:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
    os._exit(0)


threading.Thread(target=read, daemon=True).start()
if sys.argv[1:] == ["wait"]:  # the first worker ends with the process
    while not workers:
        time.sleep(0.01)
    worker, grace = next(iter(workers.values()))
    worker.wait(grace)
    tell(event="closed")
else:
    threading.Event().wait()

package io.punctual.http.claim;

import io.punctual.AnnouncedWorker;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.Settlement;
import io.punctual.WorkerAnnouncement;
import io.punctual.timer.DueTimer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers that claim through this process. They are listed with the workers of all processes
 * while they claim, with their figures. Thread-safe.
 */
final class ClaimWorkers {
  private static final Logger LOG = LoggerFactory.getLogger("io.punctual.http");

  /** A worker that has not claimed for this time is not listed any more. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(1);

  private static final Duration PERIOD = Duration.ofSeconds(10);

  /** A timer of nanoseconds has no end of a longer lease. */
  private static final Duration LONGEST = Duration.ofDays(36_525);

  /** The list of the workers of a process is bounded; no caller may fill it alone. */
  private static final int MOST_BYTES_OF_CALLER = 128 << 10;

  /** The numbers and signs in the line of a worker. */
  private static final int LINE_BYTES = 50;

  private final Punctual punctual;
  private final DueTimer timer;
  private final IntSupplier most;
  private final Map<Key, Member> members = new ConcurrentHashMap<>();
  private final Map<String, Integer> bytesByCaller = new HashMap<>();
  private final Map<Held, Lease> leases = new ConcurrentHashMap<>();
  private volatile boolean closed;

  private record Key(String caller, String queue, String name, String host, long pid) {
    /** Returns about how much of the list of workers this one takes. */
    int bytes() {
      return LINE_BYTES
          + ClaimWorkers.bytes(queue)
          + ClaimWorkers.bytes(name)
          + ClaimWorkers.bytes(host);
    }
  }

  private record Held(String queue, String id, String token) {}

  private record Lease(Member member, long endNanos) {}

  /** A listed worker. */
  final class Member {
    private final AnnouncedWorker worker;
    private final int bytes;
    private final AtomicInteger polls = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final WaitingClaims waiting = new WaitingClaims();
    private volatile long lastNanos = timer.nanoTime();

    Member(AnnouncedWorker worker, int bytes) {
      this.worker = worker;
      this.bytes = bytes;
      worker.onPause(waiting::endAll);
    }

    boolean isPaused() {
      return worker.isPaused();
    }

    /** Ends a claim with an empty answer when the worker is paused. */
    void watch(CompletableFuture<List<Delivery<byte[]>>> claim) {
      waiting.add(claim, this::isPaused);
    }

    /** Begins a poll of the worker. */
    void begin(int concurrency) {
      polls.incrementAndGet();
      worker.setConcurrency(concurrency);
    }

    /** Ends a poll of the worker. */
    void end() {
      lastNanos = timer.nanoTime();
      polls.decrementAndGet();
    }

    private void add(int messages) {
      worker.setRunning(Math.max(0, running.addAndGet(messages)));
    }

    private boolean isForgotten(long now) {
      return polls.get() == 0 && now - lastNanos > FORGOTTEN.toNanos();
    }
  }

  /**
   * Creates it.
   *
   * @param most returns the largest number of workers that are listed
   */
  ClaimWorkers(Punctual punctual, DueTimer timer, IntSupplier most) {
    this.punctual = punctual;
    this.timer = timer;
    this.most = most;
    timer.schedule(PERIOD, this::sweep);
  }

  /** Returns the worker of a claim, or empty if too many are listed, or too many of the caller. */
  Optional<Member> of(
      String caller, String queue, ClaimInput.ClaimingWorker worker, String address) {
    String host = worker.host().isEmpty() ? address : worker.host();
    Key key = new Key(caller, queue, worker.name(), host, worker.pid());
    Member known = members.get(key);
    if (known != null) {
      return Optional.of(known);
    }
    return added(key, worker);
  }

  private synchronized Optional<Member> added(Key key, ClaimInput.ClaimingWorker worker) {
    Member known = members.get(key);
    if (known != null) {
      return Optional.of(known);
    }
    int bytes = key.bytes() + bytes(worker.version());
    boolean isTooMuch = bytesByCaller.getOrDefault(key.caller, 0) + bytes > MOST_BYTES_OF_CALLER;
    if (members.size() >= most.getAsInt() || isTooMuch || closed) {
      return Optional.empty();
    }
    WorkerAnnouncement announcement =
        new WorkerAnnouncement(
            key.queue,
            key.name,
            worker.concurrency(),
            Optional.of(key.host),
            key.pid == 0 ? OptionalLong.empty() : OptionalLong.of(key.pid),
            Optional.of(worker.version()).filter(version -> !version.isEmpty()));
    Member member = new Member(punctual.announce(announcement), bytes);
    members.put(key, member);
    bytesByCaller.merge(key.caller, bytes, Integer::sum);
    return Optional.of(member);
  }

  private synchronized void forget(Key key, Member member) {
    if (members.remove(key, member)) {
      bytesByCaller.computeIfPresent(
          key.caller, (caller, all) -> all == member.bytes ? null : all - member.bytes);
      member.worker.close();
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Counts the messages that a worker has received. */
  void claimed(Member member, List<Delivery<byte[]>> deliveries, Duration lease) {
    long end = end(lease);
    for (Delivery<byte[]> delivery : deliveries) {
      member.worker.received(delivery.lateness());
      leases.put(held(delivery), new Lease(member, end));
    }
    member.add(deliveries.size());
  }

  private long end(Duration lease) {
    Duration counted = lease.compareTo(LONGEST) < 0 ? lease : LONGEST;
    return timer.nanoTime() + counted.toNanos();
  }

  private static Held held(Delivery<byte[]> delivery) {
    return new Held(delivery.queue(), delivery.id(), delivery.receipt().token());
  }

  /** Counts the messages that their workers have settled. */
  void settled(String queue, List<Settlement> settlements) {
    for (Settlement settlement : settlements) {
      Held held = new Held(queue, settlement.id(), settlement.receipt().token());
      if (settlement instanceof Settlement.Extend extend) {
        long end = end(extend.lease());
        leases.computeIfPresent(held, (key, lease) -> new Lease(lease.member, end));
      } else {
        Lease lease = leases.remove(held);
        if (lease != null) {
          count(lease.member, settlement);
        }
      }
    }
  }

  private static void count(Member member, Settlement settlement) {
    member.add(-1);
    if (settlement instanceof Settlement.Release) {
      return;
    }
    member.worker.handled();
    if (settlement instanceof Settlement.Fail
        || settlement instanceof Settlement.Retry
        || settlement instanceof Settlement.Bury) {
      member.worker.failed();
    }
  }

  /** Returns whether the worker that holds one of these messages is paused. */
  boolean isPaused(String queue, List<Settlement> settlements) {
    return settlements.stream()
        .map(each -> leases.get(new Held(queue, each.id(), each.receipt().token())))
        .anyMatch(lease -> lease != null && lease.member.isPaused());
  }

  private void sweep() {
    try {
      forgetOld();
    } catch (RuntimeException e) {
      LOG.warn("Workers that claim no more are forgotten later", e);
    }
    if (!closed) {
      try {
        timer.schedule(PERIOD, this::sweep);
      } catch (RejectedExecutionException e) {
        closed = true;
      }
    }
  }

  private void forgetOld() {
    long now = timer.nanoTime();
    leases.forEach(
        (held, lease) -> {
          if (now - lease.endNanos > 0 && leases.remove(held, lease)) {
            lease.member.add(-1);
          }
        });
    members.forEach(
        (key, member) -> {
          if (member.isForgotten(now)) {
            forget(key, member);
          }
        });
  }

  void close() {
    closed = true;
    members.values().forEach(member -> member.worker.close());
    members.clear();
  }
}

package io.punctual.httpstore.client;

import io.punctual.httpstore.wire.Hint;
import io.punctual.httpstore.wire.Hints;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.Backoff;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.spi.Registration;
import io.punctual.spi.WakeUp;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Waits for the hints of the server, with one request for all partitions at a time. A request that
 * ends without an answer may have lost hints, so the next request asks for a hint about each
 * partition. Thread-safe.
 */
public final class HintLoop {
  private static final Logger log = Logs.of(HintLoop.class);

  /** How long the server waits for a hint: less than the minute after which proxies give up. */
  static final Duration WAIT = Duration.ofSeconds(50);

  private static final Duration GRACE = Duration.ofSeconds(5);

  /** The time from a change of the partitions to the request, which several changes share. */
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Transport transport;
  private final DueTimer timer;
  private final String client;

  // The monitor of this object guards the following fields.

  private final Map<Place, List<WakeUp>> listeners = new HashMap<>();

  private final Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2));

  /** The number of the last request. */
  private long number;

  /** The server that gave the last answer; empty before the first. */
  private String server = "";

  /** The servers that have answered. */
  private final Set<String> servers = new HashSet<>();

  /** Whether several servers take turns, so that none knows about this client for long. */
  private boolean areMany;

  /** How often the server may have forgotten this client, or has told of new texts. */
  private long breaks;

  /** Whether hints may have been lost. */
  private boolean isFresh = true;

  /** Whether a request is planned. */
  private boolean planned;

  /** Whether the last request has no answer yet. */
  private boolean asking;

  private boolean closed;

  /**
   * Creates a loop.
   *
   * @param client a random id
   */
  public HintLoop(Transport transport, DueTimer timer, String client) {
    this.transport = transport;
    this.timer = timer;
    this.client = client;
  }

  Registration add(Place place, WakeUp listener) {
    synchronized (this) {
      listeners.computeIfAbsent(place, each -> new ArrayList<>()).add(listener);
    }
    plan(SOON_NANOS);
    AtomicBoolean open = new AtomicBoolean(true);
    return () -> {
      if (open.getAndSet(false)) {
        remove(place, listener);
      }
    };
  }

  private void remove(Place place, WakeUp listener) {
    synchronized (this) {
      List<WakeUp> of = listeners.getOrDefault(place, new ArrayList<>());
      of.remove(listener);
      if (!of.isEmpty()) {
        return;
      }
      listeners.remove(place);
      breaks += listeners.isEmpty() ? 1 : 0;
    }
    plan(SOON_NANOS);
  }

  private void plan(long nanos) {
    synchronized (this) {
      if (planned || closed) {
        return;
      }
      planned = true;
    }
    try {
      timer.schedule(nanos, this::ask);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The client's timer is closed, so that no hints of the server arrive");
    } catch (Error e) {
      synchronized (this) {
        planned = false; // A change of the partitions, or connection(), plans it again.
      }
      throw e;
    }
  }

  private void ask() {
    Request.Listen listen;
    synchronized (this) {
      planned = false;
      if (closed) {
        return;
      }
      List<Place> places = List.copyOf(listeners.keySet());
      listen = new Request.Listen(client, number + 1, isFresh, WAIT.toMillis(), places);
      number++;
      isFresh = false;
      asking = true;
    }
    try {
      CompletionStage<?> unused =
          StoreCall.stage(() -> transport.send(listen, WAIT.plus(GRACE)))
              .whenComplete((hints, failure) -> answered(listen, hints, failure));
    } catch (Error e) {
      synchronized (this) {
        asking = false; // connection() plans it again.
        isFresh = true;
      }
      throw e;
    }
  }

  private void answered(Request.Listen listen, @Nullable Hints hints, @Nullable Throwable failure) {
    long pauseNanos = 0;
    boolean isLast;
    synchronized (this) {
      isLast = listen.number() == number && !listeners.isEmpty();
      asking &= listen.number() != number;
      if (hints == null) {
        isFresh = true;
        breaks++;
        pauseNanos = backoff.failed(ThreadLocalRandom.current());
      } else {
        backoff.reset();
        boolean isSame = hints.server().equals(server);
        breaks += isSame && !hints.areTextsNew() ? 0 : 1;
        // A server that has restarted has a new id.
        areMany |= !isSame && !servers.add(hints.server());
        server = hints.server();
        pauseNanos = TimeUnit.MILLISECONDS.toNanos(hints.pauseMillis());
      }
    }
    if (failure != null) {
      log.debug("A wait for the hints of {} failed", transport.address(), failure);
    }
    try {
      if (isLast && pauseNanos == 0) {
        ask();
      } else if (isLast) {
        plan(pauseNanos);
      }
    } finally {
      if (hints != null) {
        hints.hints().forEach(this::hint);
      }
    }
  }

  private void hint(Hint hint) {
    List<WakeUp> of;
    synchronized (this) {
      of = List.copyOf(listeners.getOrDefault(hint.place(), List.of()));
    }
    for (WakeUp each : of) {
      try {
        each.wakeUp(hint.untilNextMicros());
      } catch (RuntimeException e) {
        log.warn("A hint about queue '{}' could not be passed", hint.place().queue(), e);
      }
    }
  }

  /** Returns the id with which this client listens. */
  public String client() {
    return client;
  }

  /**
   * Returns a number that stays the same while one server keeps what it knows about this client,
   * and the texts that it has read do not change; -1 while the client does not listen, or if
   * several servers take turns. Plans a request if an error has ended the loop.
   */
  public long connection() {
    long connection;
    boolean isEnded;
    synchronized (this) {
      connection = listeners.isEmpty() || areMany ? -1 : breaks;
      isEnded = !listeners.isEmpty() && !asking && !planned;
    }
    if (isEnded) {
      plan(SOON_NANOS);
    }
    return connection;
  }

  /** Ends the loop. */
  public synchronized void close() {
    closed = true;
    listeners.clear();
  }
}

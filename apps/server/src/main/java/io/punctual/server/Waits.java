package io.punctual.server;

import io.punctual.StoreUnavailableException;
import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.ForwardingCall;
import io.punctual.http.exchange.RequestHead;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests that wait and the answers that are streamed. They end as soon as their caller has
 * another proof or other rights than at their beginning, so that nobody receives anything by a
 * token that is no longer valid. Safe for use by many threads.
 */
final class Waits {
  private static final Logger LOG = LoggerFactory.getLogger(Waits.class);

  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final Authenticator authenticator;
  private final Set<Wait> waits = ConcurrentHashMap.newKeySet();

  /** The waits of callers whose proof expires. */
  private final Set<Wait> expiring = ConcurrentHashMap.newKeySet();

  private final AtomicInteger generation = new AtomicInteger();

  Waits(Authenticator authenticator) {
    this.authenticator = authenticator;
  }

  /** Returns the number of changes so far, to be read before a request is judged. */
  int generation() {
    return generation.get();
  }

  /**
   * Returns a call that ends early if its caller changes while it waits.
   *
   * @param before the generation before the request was judged
   */
  Call watch(int before, RequestHead head, Call call) {
    return new ForwardingCall(call) {
      @Override
      public CompletionStage<Answer> answer(byte[] body, Client client) {
        Wait wait = new Wait(before, head, client);
        return super.answer(body, wait)
            .whenComplete((answer, failure) -> wait.end())
            .thenApply(
                answer ->
                    answer.body() instanceof Answer.Stream stream && isEndless(answer)
                        ? streamed(answer, stream, new Wait(before, head, client))
                        : answer);
      }
    };
  }

  /** Other streams are answers to requests that are done, which must arrive whole. */
  private static boolean isEndless(Answer answer) {
    return "text/event-stream".equals(answer.headers().get("Content-Type"));
  }

  private Answer streamed(Answer answer, Answer.Stream stream, Wait wait) {
    return new Answer(
        answer.status(),
        answer.headers(),
        (Answer.Stream)
            sink -> {
              stream.start(sink);
              wait.begin(sink::close);
            },
        success -> {
          wait.end();
          answer.written().done(success);
        });
  }

  /** Changes who the callers are, and ends the waits of all that are no longer the same. */
  void change(Runnable change) {
    // A request that is judged before a change, and begins to wait after it, does not wait.
    generation.incrementAndGet();
    change.run();
    generation.incrementAndGet();
    endIf(waits, Wait::hasOtherCaller);
  }

  /** Ends each wait at most a second after its proof has expired, from now on. */
  void endExpired(DueTimer timer) {
    Instant now = Instant.now();
    endIf(expiring, wait -> wait.isOver(now));
    try {
      timer.schedule(PERIOD, () -> endExpired(timer));
    } catch (RejectedExecutionException e) {
      // The server ends.
    }
  }

  /** One that fails to end must not let the others go on. */
  private static void endIf(Set<Wait> waits, Predicate<Wait> isOver) {
    for (Wait wait : waits) {
      try {
        if (isOver.test(wait)) {
          wait.stop();
        }
      } catch (RuntimeException | Error e) {
        LOG.warn("A poll or a stream did not end well", e);
      }
    }
  }

  /** A wait that is equal to itself only. */
  private final class Wait implements Client {
    private final int before;
    private final RequestHead head;
    private final Client client;
    private @Nullable Caller caller;
    private @Nullable Runnable action;
    private boolean ended;

    Wait(int before, RequestHead head, Client client) {
      this.before = before;
      this.head = head;
      this.client = client;
    }

    @Override
    public boolean isWatched() {
      return client.isWatched();
    }

    @Override
    public void onGone(Runnable gone) {
      client.onGone(gone);
      begin(gone);
    }

    /** Begins to wait; the action ends the wait, and does nothing if it has ended. */
    void begin(Runnable stopping) {
      synchronized (this) {
        if (ended) {
          return;
        }
        caller = callerNow();
        action = stopping;
        waits.add(this);
        if (caller != null && caller.until() != null) {
          expiring.add(this);
        }
      }
      if (before != generation.get() || isUnknown()) {
        stop();
      }
    }

    synchronized void end() {
      ended = true;
      waits.remove(this);
      expiring.remove(this);
    }

    private @Nullable Caller callerNow() {
      try {
        return authenticator.authenticate(head);
      } catch (UnauthenticatedException | StoreUnavailableException e) {
        return null; // A caller that can't be checked now receives nothing.
      }
    }

    /** Returns whether the proof was no longer valid when the wait began. */
    private synchronized boolean isUnknown() {
      return caller == null;
    }

    private synchronized boolean hasOtherCaller() {
      return caller == null || !caller.equals(callerNow());
    }

    private synchronized boolean isOver(Instant now) {
      Instant until = caller == null ? null : caller.until();
      return until != null && !now.isBefore(until);
    }

    private void stop() {
      Runnable stopping;
      synchronized (this) {
        stopping = action;
      }
      end();
      if (stopping != null) {
        stopping.run();
      }
    }
  }
}

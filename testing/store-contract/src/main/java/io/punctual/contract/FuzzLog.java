package io.punctual.contract;

import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Makes calls and records each request, its reply, and the times before and after the call. For use
 * by a single thread.
 */
final class FuzzLog {
  /** A message from a claim, and the start and the end of the call by {@code System.nanoTime}. */
  record Taken(ClaimedMessage held, long begin, long end) {}

  /**
   * An operation and its outcome, and the start and the end of the call by {@code System.nanoTime}.
   */
  record Done(Operation operation, Outcome outcome, long engineMicros, long begin, long end) {}

  private final TestSession session;
  private final List<Taken> taken = new ArrayList<>();
  private final List<Done> done = new ArrayList<>();

  FuzzLog(TestSession session) {
    this.session = session;
  }

  List<ClaimedMessage> claim(int limit, long leaseMillis) {
    long begin = System.nanoTime();
    Reply.Claimed claimed = session.claim(limit, Duration.ofMillis(leaseMillis));
    long end = System.nanoTime();
    List<ClaimedMessage> held =
        claimed.messages().stream()
            .map(one -> ClaimedMessage.of(one, claimed, leaseMillis))
            .toList();
    held.forEach(one -> taken.add(new Taken(one, begin, end)));
    return held;
  }

  void apply(List<? extends Operation> asked) {
    long begin = System.nanoTime();
    Reply.Applied applied = session.apply(asked);
    long end = System.nanoTime();
    for (int i = 0; i < asked.size(); i++) {
      Outcome outcome = applied.outcomes().get(i);
      done.add(new Done(asked.get(i), outcome, applied.engineMicros(), begin, end));
    }
  }

  Stream<Taken> taken() {
    return taken.stream();
  }

  Stream<Done> done() {
    return done.stream();
  }
}

package io.punctual.httpstore.service;

import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Recognizes the copies of calls that a proxy makes on its own. A copy says that it is not
 * repeated, and a partition would take it for the call of a second client. A copy that arrives
 * while the call is executed gets the same answer; a later copy counts as repeated, so that the
 * partition gives the answer again. Remembers the last calls. Thread-safe.
 */
final class Copies {
  private static final int MOST = 50_000;

  private final Map<String, CompletableFuture<Reply>> running = new HashMap<>();
  private final Set<String> ended = new LinkedHashSet<>();

  /**
   * Answers a call or a copy of it.
   *
   * @param sending what the copies of a sending have in common, and different sendings have not
   * @param execution executes a call
   */
  CompletionStage<Reply> answer(
      String sending, Call call, Function<Call, CompletionStage<Reply>> execution) {
    if (call.repeated()) {
      return execution.apply(call);
    }
    CompletableFuture<Reply> mine = new CompletableFuture<>();
    synchronized (running) {
      CompletableFuture<Reply> same = running.get(sending);
      if (same != null) {
        return same.copy();
      }
      if (ended.contains(sending)) {
        mine = null;
      } else {
        running.put(sending, mine);
      }
    }
    return mine == null
        ? execution.apply(
            new Call(call.session(), call.number(), call.lowestUnanswered(), call.body(), true))
        : execute(sending, mine, started(call, execution));
  }

  private static CompletionStage<Reply> started(
      Call call, Function<Call, CompletionStage<Reply>> execution) {
    try {
      return execution.apply(call);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private CompletionStage<Reply> execute(
      String sending, CompletableFuture<Reply> mine, CompletionStage<Reply> executed) {
    CompletionStage<?> unused =
        executed.whenComplete(
            (reply, failure) -> {
              synchronized (running) {
                running.remove(sending);
                ended.add(sending);
                if (ended.size() > MOST) {
                  ended.remove(ended.iterator().next());
                }
              }
              if (failure == null) {
                mine.complete(reply);
              } else {
                mine.completeExceptionally(failure);
              }
            });
    return mine.copy();
  }
}

package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.access.Caller;
import io.punctual.http.exchange.Answer;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.Client;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.jetty.Problems;
import io.punctual.view.Outcome;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Polls that fail to end, when their callers have changed. */
final class FailingWaitsTest {
  private static final Client STAYS =
      new Client() {
        @Override
        public boolean isWatched() {
          return true;
        }

        @Override
        public void onGone(Runnable action) {}
      };

  private static Call poll(Runnable end) {
    return new Call() {
      @Override
      public long maxBody() {
        return 0;
      }

      @Override
      public Answer tooLarge() {
        return Problems.of(Outcome.TOO_LARGE, "no body");
      }

      @Override
      public CompletionStage<Answer> answer(byte[] body, Client client) {
        client.onGone(end);
        return new CompletableFuture<>();
      }
    };
  }

  @Test
  void pollsThatFailToEnd_leaveNoOtherOneOpen() {
    RequestHead head =
        (RequestHead)
            Proxy.newProxyInstance(
                RequestHead.class.getClassLoader(),
                new Class<?>[] {RequestHead.class},
                (proxy, method, arguments) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    AtomicReference<Caller> caller = new AtomicReference<>(new Caller("one", Set.of(), null));
    Waits waits = new Waits(any -> caller.get());
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 20; i++) {
      boolean fails = i % 2 == 0;
      Runnable end =
          () -> {
            ended.incrementAndGet();
            if (fails) {
              throw new LinkageError("no end");
            }
          };
      CompletionStage<?> unused =
          waits.watch(waits.generation(), head, poll(end)).answer(new byte[0], STAYS);
    }

    waits.change(() -> caller.set(new Caller("other", Set.of(), null)));

    assertThat(ended).hasValue(20);
  }
}

package io.punctual.http.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.AsyncTimedQueue;
import io.punctual.BatchException;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.http.problem.ProblemException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatchTest {
  private final RuntimeException away = new StoreUnavailableException("Away", null);
  private final RuntimeException unknown = new OutcomeUnknownException("No answer", null, null);

  /** Returns a queue that takes nothing, for a reason that depends on the mode. */
  @SuppressWarnings("unchecked")
  private static TimedQueue<byte[]> queue(Function<IfPresent, RuntimeException> failure) {
    AsyncTimedQueue<byte[]> async =
        (AsyncTimedQueue<byte[]>)
            Proxy.newProxyInstance(
                BatchTest.class.getClassLoader(),
                new Class<?>[] {AsyncTimedQueue.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("scheduleAll");
                  return CompletableFuture.failedFuture(failure.apply((IfPresent) arguments[1]));
                });
    return (TimedQueue<byte[]>)
        Proxy.newProxyInstance(
            BatchTest.class.getClassLoader(),
            new Class<?>[] {TimedQueue.class},
            (proxy, method, arguments) -> async);
  }

  private static List<Map<String, @Nullable Object>> results(
      Function<IfPresent, RuntimeException> failure) {
    Batch batch =
        Batch.of(
            List.of(
                new Draft(Message.of(new byte[1]), IfPresent.KEEP),
                new Draft(Message.of(new byte[1]), IfPresent.REPLACE)));
    return batch.schedule(queue(failure)).toCompletableFuture().join();
  }

  @Test
  void batchOfWhichNothingWasDone_isNotDone() {
    assertThatThrownBy(() -> results(mode -> away))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            ProblemException.class,
            e -> assertThat(e.problem().view().outcome()).isEqualTo("not-done"));
  }

  @Test
  void batchOfWhichAllMayBeDone_isUnknown() {
    assertThatThrownBy(() -> results(mode -> unknown))
        .cause()
        .isInstanceOfSatisfying(
            ProblemException.class,
            e -> assertThat(e.problem().view().outcome()).isEqualTo("unknown"));
  }

  /** A client that repeats the whole batch would store a part of it twice. */
  @Test
  void batchOfWhichAPartMayBeDone_hasAResultForEach() {
    assertThat(results(mode -> mode == IfPresent.KEEP ? away : unknown))
        .extracting(result -> result.get("status"))
        .containsExactly(503, 504);
    BatchException part =
        new BatchException(
            "A batch",
            List.of(
                new BatchException.Outcome(
                    "2",
                    BatchException.Status.DONE,
                    Optional.empty(),
                    Optional.of(new NotConfirmedException("Not confirmed", "2")))),
            "",
            null);
    assertThat(results(mode -> mode == IfPresent.KEEP ? away : part))
        .extracting(result -> result.get("status"))
        .containsExactly(503, 504);
  }
}

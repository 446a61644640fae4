package io.punctual.http.exchange;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A request that is answered without a look at its body.
 *
 * @param maxBody the largest body that an adapter reads, and drops, in bytes
 * @param tooLarge the answer to a request with a larger body
 * @param answer returns the answer; does not block
 */
public record BodilessCall(long maxBody, Answer tooLarge, Supplier<CompletionStage<Answer>> answer)
    implements Call {
  /** Returns a call that takes no body, and has the same answer to a request with a body. */
  public static BodilessCall of(Answer answer) {
    return of(0, answer);
  }

  /** Returns a call with the same answer to a request with a larger body. */
  public static BodilessCall of(long maxBody, Answer answer) {
    return new BodilessCall(maxBody, answer, () -> CompletableFuture.completedStage(answer));
  }

  @Override
  public boolean readsBody() {
    return false;
  }

  @Override
  public CompletionStage<Answer> answer(byte[] body, Client client) {
    return answer.get();
  }
}

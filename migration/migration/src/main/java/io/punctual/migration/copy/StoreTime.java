package io.punctual.migration.copy;

import io.punctual.migration.message.Requests;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** Reads the clocks of stores. */
final class StoreTime {
  private StoreTime() {}

  /**
   * Returns the current time in milliseconds: by the store's clock, or by this machine's clock if
   * the store does not tell its time, for example because it is read-only and refuses sessions.
   */
  static long millis(Partition partition) {
    String session = UUID.randomUUID().toString().replace("-", "");
    Call call = new Call(session, 1, 1, new Call.Apply(List.of(), null), false);
    CompletionStage<Long> asked =
        partition
            .openSession(session, null)
            .thenCompose(unused -> partition.call(call))
            .thenApply(
                reply ->
                    reply instanceof Reply.Applied applied
                        ? applied.engineMicros() / 1000
                        : System.currentTimeMillis())
            .exceptionally(failure -> System.currentTimeMillis());
    long now = Requests.answer("The look-up of the time", () -> asked);
    CompletionStage<?> unused = partition.closeSession(session).exceptionally(failure -> null);
    return now;
  }
}

package io.punctual.spi;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Executes the calls of sessions. The calls of a session are executed one after another, in the
 * order of their numbers. The stages fail with the exceptions that {@link Partition} describes.
 * Implementations are safe for use by many threads.
 */
public interface Sessions {
  /**
   * Opens a session. Has no effect if the session is open.
   *
   * @param session the session's id: random, up to 32 ASCII letters, digits and dots
   * @param replaces an earlier session of this client, which the partition ends; null if there is
   *     none
   */
  CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces);

  /** Makes a call; {@link Call} states its effect and its answer. */
  CompletionStage<Reply> call(Call call);

  /**
   * Forgets a session. The partition may ignore the request, for example if its server is
   * unavailable.
   */
  CompletionStage<@Nullable Void> closeSession(String session);
}

package io.punctual.http.webhook;

import io.punctual.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The webhooks of a process. Stages fail with {@link IllegalArgumentException} for a value that is
 * wrong, and with {@link IllegalStateException} if the state of the target does not allow the
 * change; both tell what to do. The methods that take a name need a target that {@link #find} has.
 * Implementations are safe for use by many threads, and do not block.
 */
public interface Webhooks {
  /** Returns all targets, sorted by name. */
  List<WebhookView> list();

  /** Returns a target. */
  Optional<WebhookView> find(String name);

  /** Stores a new target with its first key, or changes a target, which keeps its keys. */
  CompletionStage<WebhookView> put(WebhookSpec spec, Optional<WebhookKey> first);

  /** Removes a target with its keys and its log. The messages of its queue stay. */
  CompletionStage<Void> delete(String name);

  /** Makes a target on again that is disabled, open or paused. */
  CompletionStage<WebhookView> enable(String name);

  /**
   * Adds a key, which signs from now on.
   *
   * @param overlap how long the other keys sign beside it
   */
  CompletionStage<WebhookView> rotate(String name, WebhookKey key, Duration overlap);

  /** Calls a target with a message of its own, also if the target is disabled. */
  CompletionStage<WebhookAttempt> test(String name);

  /** Returns calls of a target, the newest first. */
  CompletionStage<Page<WebhookAttempt>> deliveries(String name, Optional<String> cursor, int limit);

  /** Schedules again what was delivered since a time, and is in the log with its payload. */
  CompletionStage<Replay> replay(String name, Instant since);

  /**
   * What a replay did.
   *
   * @param queues the queues of the target
   * @param scheduled the number of delivered messages that are scheduled again
   * @param skipped the number of delivered messages whose payload the log has not
   */
  record Replay(List<String> queues, long scheduled, long skipped) {
    /** Copies the queues. */
    public Replay {
      queues = List.copyOf(queues);
    }
  }
}

package io.punctual.http.webhook;

import io.punctual.Limits;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call of a target, as the log keeps it. Immutable.
 *
 * @param time when the call began
 * @param queue the queue of the message; empty for a test call
 * @param id the id of the message
 * @param attempt the number of the attempt, from 1
 * @param status the HTTP status, or 0 without an answer
 * @param millis how long it took
 * @param outcome what became of the message
 * @param error the beginning of a failed answer, or why there is none; empty after a success
 * @param next when the next attempt is due, or null
 * @param payload the payload of a delivered message, or null if it is not kept
 * @param headers the headers of the message of which the payload is kept
 */
public record WebhookAttempt(
    Instant time,
    String queue,
    String id,
    int attempt,
    int status,
    long millis,
    Outcome outcome,
    String error,
    @Nullable Instant next,
    byte @Nullable [] payload,
    Map<String, String> headers) {
  private static final Fields FIELDS =
      Fields.of(
          "time", "queue", "id", "attempt", "status", "millis", "outcome", "error", "next",
          "payload", "headers");

  /** What became of a message. */
  public enum Outcome {
    /** The target took it. */
    DELIVERED,
    /** It is sent again. */
    RETRY,
    /** It is a dead letter. */
    DEAD,
    /** The target is gone, and the message waits until the target is enabled. */
    DISABLED,
    /** A test call failed. */
    FAILED
  }

  /** Returns this attempt without its payload. */
  public WebhookAttempt withoutPayload() {
    return new WebhookAttempt(
        time, queue, id, attempt, status, millis, outcome, error, next, null, Map.of());
  }

  /**
   * Returns what callers see.
   *
   * @param hasError whether the caller may see what the target answered
   */
  Map<String, @Nullable Object> tree(boolean hasError) {
    Tree tree =
        new Tree()
            .put("time", Values.instant(time))
            .put("queue", queue.isEmpty() ? null : queue)
            .put("id", id)
            .put("attempt", attempt)
            .put("status", status == 0 ? null : status)
            .put("millis", millis)
            .put("outcome", outcome)
            .put("error", hasError && !error.isEmpty() ? error : null);
    return tree.put("next", next).toMap();
  }

  /** Returns the bytes that the store keeps. */
  public byte[] toBytes() {
    byte[] kept = payload;
    Tree tree =
        new Tree()
            .put("time", Values.instant(time))
            .put("queue", queue)
            .put("id", id)
            .put("attempt", attempt)
            .put("status", status)
            .put("millis", millis)
            .put("outcome", outcome)
            .put("error", error)
            .put("next", next)
            .put("payload", kept == null ? null : Base64.getEncoder().encodeToString(kept));
    return JsonOutput.tree(tree.put("headers", headers.isEmpty() ? null : headers).toMap());
  }

  /**
   * Returns the attempt of bytes.
   *
   * @throws IllegalArgumentException if the bytes are of a later version
   */
  public static WebhookAttempt parse(byte[] bytes) {
    return JsonInput.read(
        bytes,
        input -> {
          Parts parts = new Parts();
          input.object(FIELDS, name -> parts.read(name, input));
          return parts.attempt();
        });
  }

  private static final class Parts {
    private Instant time = Instant.EPOCH;
    private String queue = "";
    private String id = "";
    private int attempt;
    private int status;
    private long millis;
    private Outcome outcome = Outcome.RETRY;
    private String error = "";
    private @Nullable Instant next;
    private byte @Nullable [] payload;
    private Map<String, String> headers = Map.of();

    void read(String field, JsonInput input) {
      switch (field) {
        case "time" -> time = input.instant();
        case "queue" -> queue = input.text();
        case "id" -> id = input.text();
        case "attempt" -> attempt = (int) input.number(0, Integer.MAX_VALUE);
        case "status" -> status = (int) input.number(0, 999);
        case "millis" -> millis = input.number(0, Long.MAX_VALUE);
        case "outcome" -> outcome = input.constant(Outcome.class);
        case "error" -> error = input.text();
        case "next" -> next = input.instant();
        case "payload" -> payload = input.base64(Limits.MAX_PAYLOAD_BYTES);
        default -> headers = input.texts(Limits.HEADERS, Limits.HEADER_BYTES);
      }
    }

    WebhookAttempt attempt() {
      return new WebhookAttempt(
          time, queue, id, attempt, status, millis, outcome, error, next, payload, headers);
    }
  }
}

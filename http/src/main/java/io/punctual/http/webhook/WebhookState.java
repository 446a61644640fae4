package io.punctual.http.webhook;

import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.time.Instant;

/**
 * Whether a target is called, as all processes see it. Immutable.
 *
 * @param kind whether it is called
 * @param reason why it is in this state; empty if it is on
 * @param since since when
 */
public record WebhookState(Kind kind, String reason, Instant since) {
  private static final Fields FIELDS = Fields.of("state", "reason", "since");

  /** What a target is. */
  public enum Kind {
    /** Each due message is sent. */
    ON,
    /** The target has failed again and again; one message every 30 seconds is sent. */
    OPEN,
    /** The target asked for a pause. */
    PAUSED,
    /** The target answered 410, and nothing is sent until somebody enables it. */
    DISABLED
  }

  /** Returns the state of a target that works. */
  public static WebhookState on(Instant since) {
    return new WebhookState(Kind.ON, "", since);
  }

  /** Returns the bytes that the store keeps. */
  public byte[] toBytes() {
    return JsonOutput.tree(
        new Tree()
            .put("state", kind)
            .put("reason", reason)
            .put("since", Values.instant(since))
            .toMap());
  }

  /**
   * Returns the state of bytes.
   *
   * @throws IllegalArgumentException if the bytes are of a later version
   */
  public static WebhookState parse(byte[] bytes) {
    return JsonInput.read(
        bytes,
        input -> {
          Parts parts = new Parts();
          input.object(FIELDS, name -> parts.read(name, input));
          return new WebhookState(parts.kind, parts.reason, parts.since);
        });
  }

  private static final class Parts {
    private Kind kind = Kind.ON;
    private String reason = "";
    private Instant since = Instant.EPOCH;

    void read(String field, JsonInput input) {
      switch (field) {
        case "state" -> kind = input.constant(Kind.class);
        case "reason" -> reason = input.text();
        default -> since = input.instant();
      }
    }
  }
}

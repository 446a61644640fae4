package io.punctual.http.claim;

import io.punctual.Due;
import io.punctual.Receipt;
import io.punctual.ReportedException;
import io.punctual.RetryPolicy;
import io.punctual.Settlement;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.message.Draft;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads settlements. */
final class SettlementInput {
  /** The largest number of settlements of one request. */
  static final int MOST = 1000;

  private static final Fields FIELDS =
      Fields.of(
          "id",
          "token",
          "action",
          "delay",
          "dueAt",
          "lease",
          "reason",
          "failure",
          "payload",
          "payloadBase64");

  /** A failure or a reason is kept cut, and must not be refused. */
  private static final int MOST_CUT = 8 << 20;

  private static final Fields FAILURE = Fields.of("type", "text", "origin");

  private enum Action {
    ACK,
    FAIL,
    RETRY,
    DEFER,
    REPEAT,
    END,
    BURY,
    RELEASE,
    EXTEND
  }

  @Nullable String id;
  @Nullable String token;
  @Nullable Action action;
  @Nullable Duration delay;
  @Nullable Instant dueAt;
  @Nullable Duration lease;
  @Nullable String reason;
  @Nullable ReportedException failure;
  byte @Nullable [] payload;

  private SettlementInput() {}

  /** Reads a list of settlements. */
  static List<Settlement> list(JsonInput input, RetryPolicy policy, int mostPayload) {
    return input.array(MOST, each -> one(each, policy, mostPayload));
  }

  private static Settlement one(JsonInput input, RetryPolicy policy, int mostPayload) {
    SettlementInput parts = new SettlementInput();
    input.object(FIELDS.nullable("payload"), name -> parts.read(name, input, mostPayload));
    try {
      return parts.settlement(policy);
    } catch (IllegalArgumentException e) {
      throw input.bad(String.valueOf(e.getMessage()));
    }
  }

  private void read(String name, JsonInput input, int mostPayload) {
    switch (name) {
      case "id" -> id = input.text();
      case "token" -> token = input.text();
      case "action" -> action = input.constant(Action.class);
      case "delay" -> delay = input.duration();
      case "dueAt" -> dueAt = input.instant();
      case "lease" -> lease = input.duration();
      case "reason" -> reason = input.text(MOST_CUT);
      case "failure" -> failure = failure(input);
      case "payload" -> payload = Draft.checkSize(input.raw(mostPayload), mostPayload);
      default -> payload = Draft.checkSize(input.base64(mostPayload), mostPayload);
    }
  }

  private static ReportedException failure(JsonInput input) {
    String[] parts = {"", "", ""};
    input.object(FAILURE, name -> parts[FAILURE.names().indexOf(name)] = input.text(MOST_CUT));
    try {
      return new ReportedException(parts[0], parts[1], parts[2]);
    } catch (IllegalArgumentException e) {
      throw input.bad(String.valueOf(e.getMessage()));
    }
  }

  private Settlement settlement(RetryPolicy policy) {
    Receipt receipt = new Receipt(required(id, "id"), required(token, "token"));
    Settlement settlement =
        switch (required(action, "action")) {
          case ACK -> new Settlement.Ack(receipt);
          case FAIL -> fail(receipt, policy);
          case RETRY ->
              new Settlement.Retry(
                  receipt,
                  taken(delay, "delay"),
                  reason == null ? "retried by the consumer" : reason);
          case DEFER -> new Settlement.Defer(receipt, taken(delay, "delay"));
          case REPEAT -> repeat(receipt);
          case END -> new Settlement.EndRecurrence(receipt);
          case BURY -> new Settlement.Bury(receipt, taken(reason, "reason"));
          case RELEASE -> new Settlement.Release(receipt);
          case EXTEND -> new Settlement.Extend(receipt, taken(lease, "lease"));
        };
    refuseOthers();
    return settlement;
  }

  private Settlement fail(Receipt receipt, RetryPolicy policy) {
    ReportedException reported = taken(failure, "failure");
    failure = null;
    return new Settlement.Fail(receipt, reported, policy);
  }

  private Settlement repeat(Receipt receipt) {
    if ((delay == null) == (dueAt == null)) {
      throw new IllegalArgumentException("a repeat needs either delay or dueAt");
    }
    Due due = delay == null ? Due.at(required(dueAt, "dueAt")) : Due.after(delay);
    Optional<byte[]> next = Optional.ofNullable(payload);
    return new Settlement.Repeat(receipt, due, next);
  }

  /** Refuses a field that the action does not use, because it is probably a mistake. */
  private void refuseOthers() {
    Action chosen = required(action, "action");
    boolean repeats = chosen == Action.REPEAT;
    boolean delays = repeats || chosen == Action.RETRY || chosen == Action.DEFER;
    refuse(delay != null && !delays, "delay");
    refuse(dueAt != null && !repeats, "dueAt");
    refuse(payload != null && !repeats, "payload");
    refuse(lease != null && chosen != Action.EXTEND, "lease");
    refuse(failure != null && chosen != Action.FAIL, "failure");
    refuse(reason != null && chosen != Action.RETRY && chosen != Action.BURY, "reason");
  }

  private void refuse(boolean isUnused, String field) {
    if (isUnused) {
      throw new IllegalArgumentException(
          "the action " + action + " has no " + field + "; remove it, or choose another action");
    }
  }

  private static <T> T required(@Nullable T value, String field) {
    if (value == null) {
      throw new IllegalArgumentException("a settlement needs " + field);
    }
    return value;
  }

  private <T> T taken(@Nullable T value, String field) {
    if (value == null) {
      throw new IllegalArgumentException("the action " + action + " needs " + field);
    }
    return value;
  }
}

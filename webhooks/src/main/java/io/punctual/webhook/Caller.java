package io.punctual.webhook;

import io.punctual.Delivery;
import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.view.JsonText;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Makes the calls of a target, and describes them for the log. Thread-safe. */
final class Caller {
  private static final String CONTENT_TYPE = "content-type";

  private final Context context;

  Caller(Context context) {
    this.context = context;
  }

  /** Calls with a message. The result does not fail. */
  CompletableFuture<Answered> call(WebhookRecord target, Delivery<byte[]> delivery) {
    Map<String, String> headers = listed(target.spec(), delivery.headers());
    return call(target, WebhookIds.of(target.spec(), delivery), delivery.payload(), headers);
  }

  /** Calls with a message that says that it is a test. */
  CompletableFuture<Answered> test(WebhookRecord target) {
    String json =
        "{\"type\":\"punctual.test\",\"timestamp\":\""
            + context.clock().instant()
            + "\",\"data\":{\"webhook\":\""
            + target.spec().name()
            + "\"}}";
    String id = "test_" + UUID.randomUUID();
    return call(target, id, json.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  private CompletableFuture<Answered> call(
      WebhookRecord target, String id, byte[] body, Map<String, String> listed) {
    URI url;
    try {
      url = TargetAddress.parse(target.spec().url(), context.rules().get());
    } catch (IllegalArgumentException e) {
      return CompletableFuture.completedFuture(
          new Answered(0, 0, String.valueOf(e.getMessage()), false, Optional.empty()));
    }
    Map<String, String> headers = new LinkedHashMap<>(listed);
    if (headers.keySet().stream().noneMatch(CONTENT_TYPE::equalsIgnoreCase)) {
      headers.put(CONTENT_TYPE, type(body));
    }
    headers.putAll(Signer.headers(target.keys(), id, context.clock().instant(), body));
    return context
        .sender()
        .send(new Sender.Order(target.spec().name(), url, headers, body, target.spec().timeout()));
  }

  private static String type(byte[] body) {
    return JsonText.of(new String(body, StandardCharsets.UTF_8)).isPresent()
        ? "application/json"
        : "application/octet-stream";
  }

  /**
   * Returns the headers on the list of the target. A value with a line break or another control
   * character could add headers of its own, so it is left out, as is a value that is not ASCII.
   */
  static Map<String, String> listed(WebhookSpec spec, Map<String, String> headers) {
    Map<String, String> listed = new LinkedHashMap<>();
    headers.forEach(
        (name, value) -> {
          boolean isPlain = value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c < 0x7f));
          if (isPlain && spec.headers().stream().anyMatch(name::equalsIgnoreCase)) {
            listed.put(name, value);
          }
        });
    return listed;
  }

  WebhookAttempt logged(
      Delivery<byte[]> delivery,
      Answered answered,
      WebhookAttempt.Outcome outcome,
      Instant now,
      @Nullable Instant next) {
    boolean isKept =
        outcome == WebhookAttempt.Outcome.DELIVERED
            && delivery.payload().length <= DeliveryLog.MOST_PAYLOAD;
    return new WebhookAttempt(
        now.minusMillis(answered.millis()),
        delivery.queue(),
        delivery.id(),
        delivery.attempt(),
        answered.status(),
        answered.millis(),
        outcome,
        answered.isDelivered() ? "" : answered.text(),
        next,
        isKept ? delivery.payload() : null,
        isKept ? delivery.headers() : Map.of());
  }

  WebhookAttempt loggedTest(Answered answered, Instant began) {
    return new WebhookAttempt(
        began,
        "",
        "test",
        1,
        answered.status(),
        answered.millis(),
        answered.isDelivered() ? WebhookAttempt.Outcome.DELIVERED : WebhookAttempt.Outcome.FAILED,
        answered.isDelivered() ? "" : answered.text(),
        null,
        null,
        Map.of());
  }
}

package io.punctual.http.webhook;

import io.punctual.view.Redaction;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import io.punctual.view.View;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A target as people see it. Immutable.
 *
 * @param spec the target
 * @param keys its keys
 * @param isConfigured whether the configuration of the server has it, so that the API can't change
 *     it
 * @param state whether it is called
 * @param figures what this process has seen in the past hour
 * @param nextTry when the next message is sent, if the target waits, or null
 */
public record WebhookView(
    WebhookSpec spec,
    List<WebhookKey> keys,
    boolean isConfigured,
    WebhookState state,
    Figures figures,
    @Nullable Instant nextTry)
    implements View {

  /**
   * What a process has seen in the past hour.
   *
   * @param delivered the calls that succeeded
   * @param failed the calls that failed
   * @param p50Millis the median of the durations, or -1 without a call
   * @param p99Millis the 99th percentile of the durations, or -1 without a call
   */
  public record Figures(long delivered, long failed, long p50Millis, long p99Millis) {}

  /** Copies the keys. */
  public WebhookView {
    keys = List.copyOf(keys);
  }

  /** Returns whether somebody should look at the target. */
  public boolean isTroubled() {
    return state.kind() == WebhookState.Kind.OPEN || state.kind() == WebhookState.Kind.DISABLED;
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return tree(true);
  }

  /**
   * Returns the fields.
   *
   * @param hasAddress whether the caller may see the whole address, which can have a secret after
   *     its host
   */
  Map<String, @Nullable Object> tree(boolean hasAddress) {
    Tree tree =
        new Tree()
            .put("name", spec.name())
            .put("queue", spec.queueText())
            .put("prefix", spec.isPrefix() ? spec.queue() : null)
            .put("url", hasAddress ? spec.url() : host(spec.url()))
            .put("state", state.kind().name().toLowerCase(Locale.ROOT))
            .put("reason", state.reason().isEmpty() ? null : state.reason())
            .put("since", Values.instant(state.since()))
            .put("concurrency", spec.concurrency())
            .put("rate", spec.rate() == 0 ? null : spec.rate())
            .put("perMillis", spec.rate() == 0 ? null : spec.per().toMillis())
            .put("timeoutMillis", spec.timeout().toMillis())
            .put("retriesMillis", spec.retries().stream().map(r -> r.toMillis()).toList())
            .put("headers", spec.headers())
            .flag("configured", isConfigured)
            .put("delivered", figures.delivered())
            .put("failed", figures.failed())
            .put("p50Millis", figures.p50Millis() < 0 ? null : figures.p50Millis())
            .put("p99Millis", figures.p99Millis() < 0 ? null : figures.p99Millis());
    return tree.put("nextTry", nextTry)
        .put("keys", keys.stream().map(WebhookKey::tree).toList())
        .toMap();
  }

  private static String host(String url) {
    int end = url.indexOf('/', url.indexOf("//") + 2);
    return end < 0 || end == url.length() - 1
        ? url
        : url.substring(0, end + 1) + Redaction.REDACTED;
  }
}

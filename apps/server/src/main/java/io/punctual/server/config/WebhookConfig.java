package io.punctual.server.config;

import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.webhook.NetworkRules;
import io.punctual.webhook.WebhookService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The webhooks of a server.
 *
 * @param targets the targets with their keys
 * @param network which addresses they may have
 */
public record WebhookConfig(List<WebhookRecord> targets, NetworkRules network) {
  /** Copies the targets. */
  public WebhookConfig {
    targets = List.copyOf(targets);
  }

  static WebhookConfig of(Section root) {
    NetworkRules network = network(root.section("webhookNetwork"));
    List<WebhookRecord> targets = new ArrayList<>();
    for (Section one : root.sections("webhooks")) {
      WebhookRecord target = target(one, network);
      for (WebhookRecord other : targets) {
        if (other.spec().name().equals(target.spec().name())
            || other.spec().overlaps(target.spec())) {
          throw one.failure(
              "name",
              "or its queue is taken: the webhook "
                  + other.spec().name()
                  + " has the name or takes messages of the queue");
        }
      }
      targets.add(target);
    }
    return new WebhookConfig(targets, network);
  }

  private static NetworkRules network(Section section) {
    Set<Integer> ports = new LinkedHashSet<>();
    try {
      section.texts("allowPorts").forEach(port -> ports.add(Integer.valueOf(port)));
      return NetworkRules.allowing(
          section.texts("allowAddresses"), ports, section.isOn("allowHttp"));
    } catch (IllegalArgumentException e) {
      throw section.failure("allowAddresses", "or 'allowPorts' is wrong: " + e.getMessage());
    }
  }

  private static WebhookRecord target(Section one, NetworkRules network) {
    String name = one.requiredText("name");
    String prefix = one.text("prefix");
    String queue = one.text("queue");
    if ((prefix == null) == (queue == null)) {
      throw one.failure("queue", "or 'prefix' is needed, and not both");
    }
    List<Duration> retries = one.spans("retries", WebhookSpec.DEFAULT_RETRIES);
    try {
      WebhookSpec spec =
          new WebhookSpec(
              name,
              queue != null ? queue : prefix == null ? "" : prefix,
              prefix != null,
              one.requiredText("url"),
              one.texts("headers"),
              number(one, "concurrency", WebhookSpec.DEFAULT_CONCURRENCY, 1),
              number(one, "rate", 0, 0),
              one.span("per", Duration.ofSeconds(1)),
              one.span("timeout", WebhookSpec.DEFAULT_TIMEOUT),
              retries);
      WebhookService.check(spec, network);
      return new WebhookRecord(spec, keys(one));
    } catch (IllegalArgumentException e) {
      throw one.failure("name", "is of a webhook that is wrong: " + e.getMessage());
    }
  }

  private static int number(Section one, String key, int absent, int least) {
    return Math.toIntExact(one.number(key, absent, least, WebhookSpec.MOST_RATE));
  }

  private static List<WebhookKey> keys(Section one) {
    List<WebhookKey> keys = new ArrayList<>();
    for (Section key : one.sections("keys")) {
      String secret = key.requiredText("secret");
      Instant until = key.instant("until");
      keys.add(WebhookKey.parse("configured_" + (keys.size() + 1), secret, Instant.EPOCH, until));
    }
    if (keys.isEmpty()) {
      throw one.failure("keys", "is missing: a list with a 'secret' in each entry");
    }
    return keys;
  }
}

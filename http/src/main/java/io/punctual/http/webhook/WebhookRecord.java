package io.punctual.http.webhook;

import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.view.Tree;
import java.util.List;

/**
 * A target with its keys, as the store keeps it. Immutable.
 *
 * @param spec the target
 * @param keys the keys, the oldest first; at least one
 */
public record WebhookRecord(WebhookSpec spec, List<WebhookKey> keys) {
  private static final int MOST_KEYS = 100;
  private static final Fields FIELDS = Fields.of("name", "spec", "keys");

  /** Copies the keys. */
  public WebhookRecord {
    keys = List.copyOf(keys);
  }

  /** Returns the bytes that the store keeps. */
  public byte[] toBytes() {
    return JsonOutput.tree(
        new Tree()
            .put("name", spec.name())
            .put("spec", spec.tree())
            .put("keys", keys.stream().map(WebhookKey::record).toList())
            .toMap());
  }

  /**
   * Returns the target of bytes.
   *
   * @throws IllegalArgumentException if the bytes are of a later version
   */
  public static WebhookRecord parse(byte[] bytes) {
    return JsonInput.read(
        bytes,
        input -> {
          Parts parts = new Parts();
          input.object(FIELDS, name -> parts.read(name, input));
          return new WebhookRecord(parts.spec.spec(parts.name), parts.keys);
        });
  }

  private static final class Parts {
    private String name = "";
    private final WebhookSpec.Parts spec = new WebhookSpec.Parts();
    private List<WebhookKey> keys = List.of();

    void read(String field, JsonInput input) {
      switch (field) {
        case "name" -> name = input.text();
        case "spec" -> input.object(WebhookSpec.FIELDS, inner -> spec.read(inner, input));
        default -> keys = input.array(MOST_KEYS, WebhookKey::read);
      }
    }
  }
}

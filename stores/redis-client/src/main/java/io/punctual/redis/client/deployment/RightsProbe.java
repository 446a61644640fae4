package io.punctual.redis.client.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.request.Script;
import java.util.List;

/**
 * A script that determines which commands a user may not run. It tries commands of the other
 * scripts on keys that do not exist, without effect, and replies with the refused commands,
 * separated by spaces. Immutable.
 *
 * @param script the script
 * @param keys the names of the script's keys, without the hash tag
 */
public record RightsProbe(Script script, List<String> keys) {
  public RightsProbe {
    keys = List.copyOf(keys);
  }

  /** Returns the script's keys with this hash tag. */
  List<byte[]> keys(String tag) {
    return keys.stream().map(key -> ("{" + tag + "}:" + key).getBytes(UTF_8)).toList();
  }
}

package io.punctual.internal.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.internal.delivery.Claimants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The claimants of the messages that a client holds, as fields of a {@link WorkerText}, each after
 * a tab: the number of messages, their hashes, and the name, separated by spaces. Has the messages
 * that were held longest, and none that was claimed in the last second. Stateless.
 */
final class ClaimantText {
  private static final int MOST = 2_000;

  /** The largest length of the fields, so that workers fit behind them. */
  private static final int MAX_BYTES = 64 << 10;

  private static final int HASH_BYTES = 14;
  private static final int NUMBER_BYTES = 6;
  private static final long YOUNG_NANOS = TimeUnit.SECONDS.toNanos(1);

  private ClaimantText() {}

  /**
   * Returns the fields.
   *
   * @param held the claims, the first claim first
   */
  static String of(List<Claimants.Claim> held, long nowNanos) {
    Map<String, List<String>> hashes = new LinkedHashMap<>();
    List<Claimants.Claim> old =
        held.stream().filter(claim -> !isYoung(claim, nowNanos)).limit(MOST).toList();
    int room = MAX_BYTES;
    for (Claimants.Claim claim : old) {
      boolean isNew = !hashes.containsKey(claim.name());
      room -= HASH_BYTES + (isNew ? NUMBER_BYTES + claim.name().getBytes(UTF_8).length : 0);
      if (room < 0) {
        break;
      }
      hashes.computeIfAbsent(claim.name(), name -> new ArrayList<>()).add(claim.hash());
    }
    StringBuilder text = new StringBuilder();
    hashes.forEach(
        (name, all) -> {
          text.append('\t').append(all.size()).append(' ').append(String.join(" ", all));
          text.append(' ').append(name);
        });
    return text.toString();
  }

  private static boolean isYoung(Claimants.Claim claim, long nowNanos) {
    return nowNanos - claim.sinceNanos() < YOUNG_NANOS;
  }

  /** Returns whether {@link #of} leaves out claims because they are young. */
  static boolean leavesOutYoung(List<Claimants.Claim> held, long nowNanos) {
    return !held.isEmpty() && isYoung(held.get(held.size() - 1), nowNanos);
  }

  /** Returns the name of the claimant for each hash; ignores fields of a newer version. */
  static Map<String, String> parse(List<String> fields) {
    Map<String, String> names = new HashMap<>();
    for (String field : fields) {
      String[] words = field.split(" ", -1);
      if (words[0].matches("[0-9]{1,4}")) {
        int messages = Integer.parseInt(words[0]);
        if (messages + 1 < words.length) {
          String name = String.join(" ", Arrays.asList(words).subList(messages + 1, words.length));
          Arrays.stream(words, 1, messages + 1).forEach(hash -> names.put(hash, name));
        }
      }
    }
    return names;
  }
}

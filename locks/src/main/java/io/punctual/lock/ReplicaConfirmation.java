package io.punctual.lock;

import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Request;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Asks whether an acquisition has got to where its terms want it. */
final class ReplicaConfirmation {
  private static final Pattern REPLICAS = Pattern.compile("connected_slaves:(\\d{1,3})\\b");

  private ReplicaConfirmation() {}

  /** Completes with null if it has, or with why that is not certain, for the user. Never fails. */
  static CompletableFuture<@Nullable String> confirm(
      LockClient client, LockKeys place, LockOptions terms, Answer answer) {
    if (!terms.allReplicas()) {
      return answer.confirm(terms.durability(), place.counter());
    }
    return client
        .deployment()
        .durable(place.counter())
        .send(Request.of(CommandType.INFO, "replication"))
        .handle((info, failure) -> failure == null ? count(info) : -1)
        .thenCompose(count -> confirm(place, terms, answer, count));
  }

  private static int count(Answer info) {
    Matcher replicas = REPLICAS.matcher(new Reading(info).text());
    return replicas.find() ? Integer.parseInt(replicas.group(1)) : -1;
  }

  private static CompletableFuture<@Nullable String> confirm(
      LockKeys place, LockOptions terms, Answer answer, int replicas) {
    if (replicas < 1) {
      return CompletableFuture.completedFuture(
          replicas == 0
              ? "no replica is connected"
              : "the server does not tell how many replicas it has");
    }
    return answer.confirm(
        new Durability(terms.durability().localDisk(), replicas), place.counter());
  }
}

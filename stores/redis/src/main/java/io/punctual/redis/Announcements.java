package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.deployment.Deployment;
import io.punctual.spi.Announcement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Keeps and lists the announcements on a server: texts in which clients list their workers.
 * Immutable.
 */
final class Announcements {
  private final Deployment deployment;

  Announcements(Deployment deployment) {
    this.deployment = deployment;
  }

  /** Keeps the text of a client, and returns about how many clients have texts. */
  CompletionStage<Long> announce(String client, String text, Duration keep) {
    List<byte[]> argv =
        Stream.of(client, text, Long.toString(keep.toMillis()))
            .map(argument -> argument.getBytes(UTF_8))
            .toList();
    return deployment
        .run(PartitionScripts.ANNOUNCE, keys(), argv)
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(answer -> ReplyReader.read(answer, ReplyReader::nextLong));
  }

  /** Lists the announcements of these clients, or of all clients if there are none. */
  CompletionStage<List<Announcement>> list(List<String> clients) {
    List<byte[]> argv = clients.stream().map(client -> client.getBytes(UTF_8)).toList();
    return deployment
        .run(PartitionScripts.ANNOUNCED, keys(), argv)
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(answer -> ReplyReader.read(answer, Announcements::read));
  }

  private List<byte[]> keys() {
    return PartitionKeys.announcements(deployment.settings().namespace());
  }

  private static List<Announcement> read(ReplyReader values) {
    List<Announcement> all = new ArrayList<>();
    long unused = values.nextLong();
    while (values.hasNext()) {
      String client = new String(values.nextSome(), UTF_8);
      String text = new String(values.nextSome(), UTF_8);
      int space = text.indexOf(' ');
      long seenMillis = Long.parseLong(text.substring(0, Math.max(0, space)));
      all.add(new Announcement(client, text.substring(space + 1), seenMillis));
    }
    return all;
  }
}

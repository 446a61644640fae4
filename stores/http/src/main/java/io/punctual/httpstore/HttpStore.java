package io.punctual.httpstore;

import io.punctual.DeleteQueueOutcome;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.httpstore.client.HintLoop;
import io.punctual.httpstore.client.HttpPartition;
import io.punctual.httpstore.client.Transport;
import io.punctual.httpstore.wire.PartitionInfo;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Welcome;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.QueueCounts;
import io.punctual.spi.Store;
import io.punctual.timer.DueTimer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The store of a Punctual server, by HTTP. What it can do, and which clock decides, depends on the
 * store behind the server. It never sends a call of a session twice: the client repeats its calls
 * itself.
 *
 * <p>Waits for hints with one request at a time, for all queues. Safe for use by many threads.
 */
public final class HttpStore implements Store {
  /**
   * The interval of the safety check. Hints are rarely lost, because the server collects them while
   * no request waits, and makes a check of its own with its store.
   */
  private static final Duration SAFETY_CHECK = Duration.ofMinutes(5);

  private static final Duration LONG = Duration.ofMinutes(10);

  private final Transport transport;
  private final HintLoop hints;
  private final Set<Capability> capabilities;

  /** The text that the server renews; null if there is none. */
  private volatile @Nullable Renewed renewed;

  /** The texts of some clients, about whose change the server tells; null if there are none. */
  private volatile @Nullable Watched watched;

  private record Watched(List<String> clients, List<Announcement> found, long connection) {}

  private record Renewed(String client, String text, long connection) {}

  private HttpStore(Transport transport, DueTimer timer, Welcome welcome) {
    this.transport = transport;
    byte[] id = new byte[15];
    new SecureRandom().nextBytes(id);
    hints = new HintLoop(transport, timer, java.util.HexFormat.of().formatHex(id));
    Set<Capability> known = EnumSet.noneOf(Capability.class);
    for (Capability each : Capability.values()) {
      if (welcome.capabilities().contains(each.name())) {
        known.add(each);
      }
    }
    known.remove(Capability.TRANSACTIONS);
    capabilities = Collections.unmodifiableSet(known);
  }

  /**
   * Opens the store. Blocks until the server has answered.
   *
   * @throws StoreRefusedException if the server refuses the client
   * @throws StoreUnavailableException if there is no answer
   */
  static HttpStore open(Transport transport, DueTimer timer) {
    try {
      return new HttpStore(transport, timer, transport.send(new Request.Hello()).join());
    } catch (CompletionException e) {
      transport.close();
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String message = String.valueOf(cause.getMessage());
      boolean isRefusal =
          cause instanceof Partition.PartitionException
              || cause.getCause() instanceof StoreRefusedException;
      throw isRefusal
          ? new StoreRefusedException(message, cause.getCause())
          : new StoreUnavailableException(message, cause.getCause());
    }
  }

  @Override
  public String describe() {
    return transport.address().toString();
  }

  /** Returns the capabilities of the server's store, without {@link Capability#TRANSACTIONS}. */
  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return look(queue, 0);
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue, int wanted) {
    return look(queue, wanted);
  }

  private CompletionStage<List<Partition>> look(String queue, int wanted) {
    return transport
        .send(new Request.FindPartitions(queue, wanted))
        .thenApply(found -> partitions(queue, found));
  }

  private List<Partition> partitions(String queue, List<PartitionInfo> found) {
    return IntStream.range(0, found.size())
        .<Partition>mapToObj(
            index ->
                new HttpPartition(
                    transport, hints, new Place(queue, index, found.size()), found.get(index)))
        .toList();
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return queues("", "", Integer.MAX_VALUE);
  }

  @Override
  public CompletionStage<List<String>> queues(String prefix, String after, int limit) {
    return transport.send(new Request.ListQueues(prefix, after, limit));
  }

  @Override
  public CompletionStage<List<QueueCounts>> counts(List<String> queues) {
    return transport.send(new Request.CountQueues(List.copyOf(queues)));
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> find(List<String> queues, String id) {
    return transport.send(new Request.FindInQueues(List.copyOf(queues), id));
  }

  @Override
  public CompletionStage<List<long[]>> forecast(
      List<String> queues, long fromMillis, long widthMillis, int buckets) {
    return transport.send(
        new Request.ForecastQueues(List.copyOf(queues), fromMillis, widthMillis, buckets));
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return transport.send(new Request.DeleteQueue(queue), LONG);
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    return transport.send(
        new Request.UntilNext(
            partitions.stream().map(each -> ((HttpPartition) each).place()).toList()));
  }

  /** Sends nothing if the server renews the same text already, because this client listens. */
  @Override
  public CompletionStage<@Nullable Void> announce(String client, String text, Duration keep) {
    long connection = hints.connection();
    Renewed next = new Renewed(client, Announcement.withoutIdleTimes(text), connection);
    if (next.equals(renewed)) {
      return CompletableFuture.completedStage(null);
    }
    renewed = null;
    return transport
        .send(new Request.Announce(client, text, keep, hints.client()))
        .thenAccept(isRenewed -> renewed = isRenewed && connection >= 0 ? next : null);
  }

  @Override
  public CompletionStage<List<Announcement>> announcements() {
    return transport.send(new Request.ListAnnouncements());
  }

  /** Sends nothing if the last texts were asked for again, and the server would tell a change. */
  @Override
  public CompletionStage<List<Announcement>> announcements(List<String> clients) {
    long connection = hints.connection();
    Watched last = watched;
    if (last != null && last.clients().equals(clients) && last.connection() == connection) {
      return CompletableFuture.completedStage(last.found());
    }
    List<String> asked = List.copyOf(clients);
    return transport
        .send(new Request.ReadAnnouncements(asked, hints.client()))
        .thenApply(
            texts -> {
              watched =
                  texts.areWatched() && connection >= 0
                      ? new Watched(asked, texts.found(), connection)
                      : null;
              return texts.found();
            });
  }

  @Override
  public CompletionStage<@Nullable Void> ping() {
    return transport.send(new Request.Ping()).thenAccept(pong -> {});
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return SAFETY_CHECK;
  }

  @Override
  public void close() {
    hints.close();
    transport.close();
  }
}

package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Keyword;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tests whether a server's WAITAOF confirms only changes on its disk. Some versions confirm a
 * change as soon as it is written to the file, long before the next fsync.
 *
 * <p>A correct server with {@code appendfsync everysec} calls fsync once a second, and confirms no
 * change before the next fsync. So the probe makes a change and asks several times for its
 * confirmation. The server passes if it does not confirm the change although {@code INFO
 * persistence} shows no pending write and no pending fsync: it waits for an fsync that has yet to
 * begin. A server that confirms each of several changes at once passes only with {@code appendfsync
 * always}, and a server with {@code appendfsync no} never passes. A probe usually takes a tenth of
 * a second, gives up after {@link #LONGEST}, and leaves no data on the server. For a single use.
 */
public final class DiskProbe {
  /** The time after which a probe gives up. */
  public static final Duration LONGEST = Duration.ofSeconds(5);

  private static final Script WRITE = Script.of(DiskProbe.class::getResourceAsStream, "diskprobe");

  /**
   * The number of changes in a row that a correct server with an fsync per second can't all confirm
   * at once.
   */
  private static final int CONFIRMED_AT_ONCE = 5;

  /**
   * The number of questions in a row that a correct server leaves without a confirmation. An fsync
   * may happen unnoticed between two questions, but the next fsync follows a second later.
   */
  private static final int SILENT = 3;

  private static final String PATIENCE_MILLIS = "20";

  private final Connection connection;
  private final byte[] key;
  private final long beganNanos = System.nanoTime();

  /** Creates a probe of the server behind this connection. No other client may use the key. */
  public DiskProbe(Connection connection, byte[] key) {
    this.connection = connection;
    this.key = key;
  }

  /** Creates a probe whose key has the slot of this key. */
  static DiskProbe beside(String key, Connection connection) {
    return new DiskProbe(connection, (key + ":probe").getBytes(UTF_8));
  }

  /**
   * Runs the probe. Completes with null if WAITAOF can be trusted, or with the reason why not and a
   * remedy.
   */
  public CompletableFuture<@Nullable String> run() {
    return writeAndAsk(0)
        .exceptionallyCompose(
            failure ->
                Failures.unwrap(failure) instanceof RedisCallException.Refused refused
                    ? describe().thenApply(name -> refusal(name, refused))
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletableFuture<@Nullable String> writeAndAsk(int atOnce) {
    return connection
        .send(Request.byText(WRITE, List.of(key), List.of()))
        .thenCompose(written -> isConfirmed())
        .thenCompose(
            confirmed -> {
              if (!confirmed) {
                return listen(1);
              }
              return atOnce + 1 == CONFIRMED_AT_ONCE ? judge(true) : writeAndAsk(atOnce + 1);
            });
  }

  private CompletableFuture<Boolean> isConfirmed() {
    return connection
        .send(Request.of(Keyword.WAITAOF, "1", "0", PATIENCE_MILLIS))
        .thenApply(counts -> counts.get(0) instanceof Long local && local > 0);
  }

  /**
   * Asks again after the server did not confirm the last change. A question counts only if no write
   * or fsync was pending, because a pending fsync explains the missing confirmation.
   */
  private CompletableFuture<@Nullable String> listen(int silent) {
    if (System.nanoTime() - beganNanos > LONGEST.toNanos()) {
      return describe().thenApply(DiskProbe::tooSlow);
    }
    return info("persistence")
        .thenCompose(
            info -> {
              int silentAndIdle = isIdle(info) ? silent : 0;
              return silentAndIdle == SILENT ? judge(false) : askAgain(silentAndIdle + 1);
            });
  }

  private static boolean isIdle(String persistence) {
    return ServerInfo.field(persistence, "aof_buffer_length").equals("0")
        && ServerInfo.field(persistence, "aof_pending_bio_fsync").equals("0");
  }

  private CompletableFuture<@Nullable String> askAgain(int silent) {
    return isConfirmed().thenCompose(confirmed -> confirmed ? writeAndAsk(0) : listen(silent));
  }

  private CompletableFuture<@Nullable String> judge(boolean confirmsAtOnce) {
    return policy()
        .thenCombine(describe(), (policy, name) -> verdict(name, confirmsAtOnce, policy));
  }

  private static @Nullable String verdict(String name, boolean confirmsAtOnce, String policy) {
    if (policy.equals("no")) {
      return name
          + " never forces its append-only file to disk, as its appendfsync is 'no'; set"
          + " appendfsync to everysec or always";
    }
    if (!confirmsAtOnce || policy.equals("always")) {
      return null;
    }
    if (policy.isEmpty()) {
      return name
          + " confirms each change at once, and the user may not ask whether its appendfsync is"
          + " 'always'; grant +config|get, or use durability=replicas:N";
    }
    return name
        + " confirms changes that are not on its disk: its WAITAOF does not wait for the fsync. Use"
        + " a version without this fault (the documentation of the Redis store lists some), set"
        + " appendfsync to always, or use durability=replicas:N";
  }

  private static String tooSlow(String name) {
    return name
        + " did not show within "
        + LONGEST.toSeconds()
        + " s whether its WAITAOF waits for the disk, as its fsyncs take very long; try again, or"
        + " use durability=replicas:N";
  }

  private static String refusal(String name, RedisCallException.Refused refused) {
    String advice =
        String.valueOf(refused.getMessage()).contains("unknown command")
            ? "it is too old for WAITAOF. Use Redis 8 or another version that the documentation of"
                + " the Redis store lists, or durability=replicas:N"
            : refused.getMessage();
    return name + " cannot confirm what is on its disk: " + advice;
  }

  /**
   * Returns the server's appendfsync, or an empty text if the user may not read the configuration.
   */
  private CompletableFuture<String> policy() {
    return connection
        .send(Request.of(CommandType.CONFIG, "GET", "appendfsync"))
        .handle(
            (pair, failure) ->
                failure == null && pair.size() == 2 && pair.get(1) instanceof byte[] value
                    ? new String(value, UTF_8)
                    : "");
  }

  private CompletableFuture<String> describe() {
    return info("server").thenApply(ServerInfo::product);
  }

  private CompletableFuture<String> info(String section) {
    return connection
        .send(Request.of(CommandType.INFO, section))
        .thenApply(lines -> new String((byte[]) lines.get(0), UTF_8));
  }
}

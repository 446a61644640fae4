package io.punctual.redis.client.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import io.punctual.redis.client.connection.Connection;
import io.punctual.redis.client.connection.DiskProbe;
import io.punctual.redis.client.connection.ReconnectingConnection;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.connection.RedisSettings;
import io.punctual.redis.client.connection.ServerInfo;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Keyword;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Checks that a server can be used: its version, its role, its eviction policy, its durability and
 * the rights of its user.
 */
final class ServerCheck {
  private static final Logger log = Logs.of(ServerCheck.class);
  private static final int MAJOR = 6;
  private static final int MINOR = 2;

  /**
   * The maximum number of attempts to find a key of the server. A server that has only one of the
   * 16,384 slots needs 16,384 attempts on average.
   */
  private static final int MOST_KEYS = 200_000;

  private static final Pattern VERSION =
      Pattern.compile("^redis_version:(?<major>\\d+)\\.(?<minor>\\d+)", Pattern.MULTILINE);

  /**
   * The error about a missing right to a key. Redis 6.2 writes "one of the keys", and later
   * versions write "a key".
   */
  private static final Pattern NO_KEYS =
      Pattern.compile("NOPERM.* to access (a key|one of the keys)");

  /**
   * The line of INFO that a Cluster's node sends. Redis names the field redis_mode, and Valkey
   * names it server_mode.
   */
  private static final Pattern CLUSTER =
      Pattern.compile("^(?:redis|server)_mode:cluster", Pattern.MULTILINE);

  /**
   * The properties of a server.
   *
   * @param major the major version
   * @param isClusterNode whether the server is part of a Cluster
   */
  record Found(int major, boolean isClusterNode) {
    boolean hasShardedChannels() {
      return major >= 7;
    }
  }

  private final String server;
  private final RedisSettings settings;
  private final ReconnectingConnection link;
  private final Predicate<byte[]> serves;
  private final @Nullable RightsProbe rights;

  /**
   * Creates a check.
   *
   * @param serves returns whether the server has the slot of a key
   * @param rights tests the rights of the user; null for no test
   */
  ServerCheck(
      String server,
      RedisSettings settings,
      ReconnectingConnection link,
      Predicate<byte[]> serves,
      @Nullable RightsProbe rights) {
    this.server = server;
    this.serves = serves;
    this.settings = settings;
    this.link = link;
    this.rights = rights;
  }

  /**
   * Checks all but the rights of the user, and returns the properties of the server.
   *
   * @throws StoreRefusedException if the server cannot be used; the message names the remedy
   * @throws StoreUnavailableException if the server does not reply
   */
  ServerCheck.Found run() {
    Found found = checkVersion(info("server"));
    checkRole(info("replication"));
    if (!settings.allowEviction()) {
      checkEviction(info("memory"));
    }
    if (!settings.durability().equals(Durability.NONE)) {
      checkDurability();
    }
    return found;
  }

  private static StoreRefusedException unfit(String why) {
    return new StoreRefusedException(why, null);
  }

  /**
   * Checks only that the server replies.
   *
   * @throws StoreRefusedException if the server refuses the request, for example the login
   * @throws StoreUnavailableException if the server does not reply
   */
  void ping() {
    RedisReply unused = ask(() -> Request.of(CommandType.PING), "PING");
  }

  private Found checkVersion(String info) {
    Matcher version = VERSION.matcher(info);
    if (!version.find()) {
      throw unfit(server + " does not tell its version in INFO server");
    }
    int major = Integer.parseInt(version.group("major"));
    int minor = Integer.parseInt(version.group("minor"));
    if (major < MAJOR || (major == MAJOR && minor < MINOR)) {
      throw unfit(
          String.format(
              Locale.ROOT,
              "%s is Redis %d.%d; Punctual needs Redis 6.2 or newer, or Valkey",
              server,
              major,
              minor));
    }
    return new Found(major, CLUSTER.matcher(info).find());
  }

  boolean isReplica() {
    return isReplica(info("replication"));
  }

  private static boolean isReplica(String info) {
    return info.contains("role:slave");
  }

  private void checkRole(String info) {
    if (isReplica(info)) {
      throw unfit(server + " is a replica; name its primary in the URL");
    }
  }

  private void checkEviction(String info) {
    String policy = ServerInfo.field(info, "maxmemory_policy");
    if (!policy.equals("noeviction")) {
      throw unfit(
          server
              + " may evict messages to free memory: its maxmemory-policy is '"
              + policy
              + "'. Set it to noeviction, or give this server's URL the option allowEviction=true"
              + " if losing messages is acceptable");
    }
  }

  private void checkDurability() {
    Durability durability = settings.durability();
    if (durability.localDisk()) {
      checkDisk(ask(() -> Request.of(CommandType.PING), "PING").connection());
    } else {
      RedisReply unused = ask(() -> Request.of(Keyword.WAIT, "0", "1"), "durability " + durability);
    }
  }

  private void checkDisk(Connection connection) {
    Duration longest = DiskProbe.LONGEST.plus(settings.commandTimeout());
    String why = await(new DiskProbe(connection, ownKey()).run(), longest, "durability=aof");
    if (why != null) {
      throw unfit(server + " cannot be used with durability=" + settings.durability() + ": " + why);
    }
  }

  /**
   * Checks that the user may run the commands of the scripts, as far as the server reports missing
   * rights.
   *
   * @throws StoreRefusedException if a right is missing; the message names the commands
   * @throws StoreUnavailableException if the server does not reply, or can't run scripts yet
   */
  void checkRights() {
    RightsProbe probe = rights;
    if (probe == null) {
      return;
    }
    CompletableFuture<String> refused =
        link.run(probe.script(), probe.keys(ownTag()), List.of())
            .thenApply(
                answer ->
                    new String((byte[]) Objects.requireNonNull(answer.values().get(0)), UTF_8))
            .exceptionallyCompose(ServerCheck::withoutKeys);
    String commands = await(refused, settings.commandTimeout(), "the rights of the user");
    if (!commands.isEmpty()) {
      throw new StoreRefusedException(
          server
              + ": the user has no right to run "
              + commands
              + "; grant it, see 'ACL rights' in the documentation of the Redis store",
          null);
    }
  }

  /**
   * Ignores an error about the probe's keys, because a user may have rights to the keys of some
   * queues only.
   */
  private static CompletableFuture<String> withoutKeys(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return cause instanceof RedisCallException.Refused
            && NO_KEYS.matcher(String.valueOf(cause.getMessage())).find()
        ? CompletableFuture.completedFuture("")
        : CompletableFuture.failedFuture(cause);
  }

  /** Returns a key that no other client uses, and whose slot this server serves. */
  private byte[] ownKey() {
    return ("{" + ownTag() + "}:probe").getBytes(UTF_8);
  }

  private String ownTag() {
    for (int i = 0; ; i++) {
      String tag = settings.namespace() + ":probe:" + UUID.randomUUID();
      if (serves.test(("{" + tag + "}").getBytes(UTF_8))) {
        return tag;
      }
      if (i == MOST_KEYS) {
        throw new StoreUnavailableException(server + " serves no slot; try again", null);
      }
    }
  }

  private String info(String section) {
    RedisReply answer = ask(() -> Request.of(CommandType.INFO, section), "INFO " + section);
    return new String((byte[]) Objects.requireNonNull(answer.values().get(0)), UTF_8);
  }

  private RedisReply ask(Supplier<Request> request, String what) {
    Duration longest = settings.connectTimeout().plus(settings.commandTimeout());
    return Objects.requireNonNull(
        await(
            link.send(request.get()).exceptionallyCompose(failure -> again(request, failure)),
            longest,
            what));
  }

  /** Sends a request once more if the server has certainly not run it. */
  private CompletableFuture<RedisReply> again(Supplier<Request> request, Throwable failure) {
    if (!(Failures.unwrap(failure) instanceof RedisCallException.NotSent)) {
      return CompletableFuture.failedFuture(failure);
    }
    log.debug("{} could not be asked; trying once more", server, failure);
    return link.send(request.get());
  }

  private <T extends @Nullable Object> T await(
      CompletableFuture<T> answer, Duration longest, String what) {
    try {
      return answer.get(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable cause = Failures.unwrap(e.getCause() == null ? e : e.getCause());
      throw failed(server + " can't be used (" + what + "): " + cause.getMessage(), cause);
    } catch (TimeoutException e) {
      throw new StoreUnavailableException(
          server + " did not answer within " + longest.toMillis() + " ms; is it running?", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException("Interrupted while " + server + " was asked", e);
    }
  }

  private static PunctualException failed(String message, Throwable cause) {
    if (RedisCallException.isTransient(cause) && !Failures.isRefusedConnection(cause)) {
      return new StoreUnavailableException(message, cause.getCause());
    }
    // The cause is the server's own error, because users must not see a RedisCallException.
    return new StoreRefusedException(
        message, cause instanceof RedisCallException ? cause.getCause() : cause);
  }
}

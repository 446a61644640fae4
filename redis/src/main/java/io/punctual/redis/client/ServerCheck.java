package io.punctual.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.Durability;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Lane;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a server, before it is used, whether it will do. */
final class ServerCheck {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCheck.class);
  private static final int MAJOR = 6;
  private static final int MINOR = 2;
  private static final Pattern VERSION =
      Pattern.compile("^redis_version:(?<major>\\d+)\\.(?<minor>\\d+)", Pattern.MULTILINE);

  /** Redis says redis_mode, Valkey server_mode. */
  private static final Pattern CLUSTER =
      Pattern.compile("^(?:redis|server)_mode:cluster", Pattern.MULTILINE);

  /**
   * What was found.
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
  private final Link link;

  ServerCheck(String server, RedisSettings settings, Link link) {
    this.server = server;
    this.settings = settings;
    this.link = link;
  }

  /**
   * Returns if the server will do.
   *
   * @throws PunctualException if it will not, or does not answer; the message says what to do
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

  /** Returns if anybody answers. */
  void ping() {
    Answer unused = ask(() -> Request.of(CommandType.PING), "PING");
  }

  private Found checkVersion(String info) {
    Matcher version = VERSION.matcher(info);
    if (!version.find()) {
      throw new PunctualException(server + " does not tell its version in INFO server");
    }
    int major = Integer.parseInt(version.group("major"));
    int minor = Integer.parseInt(version.group("minor"));
    if (major < MAJOR || (major == MAJOR && minor < MINOR)) {
      throw new PunctualException(
          "%s is Redis %d.%d; Punctual needs Redis 6.2 or newer, or Valkey"
              .formatted(server, major, minor));
    }
    return new Found(major, CLUSTER.matcher(info).find());
  }

  private void checkRole(String info) {
    if (info.contains("role:slave")) {
      throw new PunctualException(server + " is a replica; name its primary in the URL");
    }
  }

  private void checkEviction(String info) {
    String policy = field(info, "maxmemory_policy");
    if (!policy.equals("noeviction")) {
      throw new PunctualException(
          server
              + " may evict messages to free memory: its maxmemory-policy is '"
              + policy
              + "'. Set it to noeviction, or give this server's URL the option allowEviction=true"
              + " if losing messages is acceptable");
    }
  }

  private static String field(String info, String name) {
    Matcher field = Pattern.compile("^" + name + ":(\\S*)", Pattern.MULTILINE).matcher(info);
    return field.find() ? field.group(1).toLowerCase(Locale.ROOT) : "unknown";
  }

  /** The command itself says best whether the server knows it and is set up for it. */
  private void checkDurability() {
    String what = "durability " + settings.durability();
    if (settings.durability().localDisk()) {
      ask(() -> Request.of(Keyword.WAITAOF, "1", "0", "1"), what);
    } else {
      ask(() -> Request.of(Keyword.WAIT, "0", "1"), what);
    }
  }

  private String info(String section) {
    Answer answer = ask(() -> Request.of(CommandType.INFO, section), "INFO " + section);
    return new String((byte[]) java.util.Objects.requireNonNull(answer.values().get(0)), UTF_8);
  }

  private Answer ask(Supplier<Request> request, String what) {
    long millis = settings.connectTimeout().plus(settings.commandTimeout()).toMillis();
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    try {
      try {
        return answer(request.get(), endNanos);
      } catch (ExecutionException e) {
        if (!(cause(e) instanceof Lane.NotSentException)) {
          throw e;
        }
        LOG.debug("{} could not be asked; trying once more", server, e);
        return answer(request.get(), endNanos);
      }
    } catch (ExecutionException e) {
      Throwable cause = cause(e);
      throw failed(server + " can't be used (" + what + "): " + cause.getMessage(), cause);
    } catch (TimeoutException e) {
      throw new StoreUnavailableException(
          server + " did not answer within " + millis + " ms; is it running?", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException("Interrupted while " + server + " was asked", e);
    }
  }

  private Answer answer(Request request, long endNanos)
      throws ExecutionException, TimeoutException, InterruptedException {
    return link.send(request).get(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  private static Throwable cause(ExecutionException e) {
    return Failures.unwrap(e.getCause() == null ? e : e.getCause());
  }

  private static PunctualException failed(String message, Throwable cause) {
    if (cause instanceof Lane.NotSentException) {
      return new StoreUnavailableException(message, cause.getCause());
    }
    // Users see the server's own error as the cause, and no type of the SPI.
    return new PunctualException(
        message, cause instanceof Lane.LaneException ? cause.getCause() : cause);
  }
}

package io.punctual.migration.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.RedisOptions;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import io.punctual.spi.StoreUrl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging of an importer in Redis: a sorted set of staged entries, a sorted set of marked
 * entries, a key with the name of the importer that works on these entries, and a key with their
 * target. The score of an entry is its due time in milliseconds. All keys of a source are in one
 * slot. Not thread-safe.
 */
public final class RedisStaging implements AutoCloseable {
  /** The default time after which the source of a dead importer is free for other importers. */
  public static final Duration LEASE = Duration.ofSeconds(10);

  /** The size of a batch in bytes after which no further entry is added. */
  public static final int BATCH_BYTES = 1 << 20;

  private static final Logger log = LoggerFactory.getLogger(RedisStaging.class);
  private static final Script RENEW = script("owner", "renew");
  private static final Script TARGET = script("owner", "target");
  private static final Script LEAVE = script("leave");
  private static final Script READ = script("owner", "read");
  private static final Script MARK = script("owner", "mark");
  private static final Script KNOWN = script("known");
  private static final Script REMOVE = script("owner", "remove");
  private static final Duration BEYOND_LEASE = Duration.ofSeconds(2);

  private final Deployment deployment;
  private final Keys keys;
  private final Duration lease;
  private final byte[] name;

  /**
   * The keys of a staging.
   *
   * @param owner the key with the name of the importer
   * @param staged the sorted set of staged entries
   * @param marked the sorted set of marked entries
   * @param target the key with the target of the entries in both sets
   */
  public record Keys(byte[] owner, byte[] staged, byte[] marked, byte[] target) {}

  /** An entry with its due time as Redis writes it. */
  public record Scored(byte[] entry, String score) {
    /**
     * Returns the due time, rounded up to a millisecond: 0 if it is before 1970, and the largest
     * number if it is infinite.
     */
    public long dueMillis() {
      return switch (score) {
        case "inf" -> Long.MAX_VALUE;
        case "-inf" -> 0;
        default -> Math.max(0, (long) Math.ceil(Double.parseDouble(score)));
      };
    }
  }

  /** Creates a staging; the first call must be {@link #acquire}. */
  public RedisStaging(Deployment deployment, Keys keys, Duration lease) {
    this.deployment = deployment;
    this.keys = keys;
    this.lease = lease;
    this.name = (ProcessHandle.current().pid() + "/" + UUID.randomUUID()).getBytes(UTF_8);
  }

  public static Duration checkedLease(Duration lease) {
    if (lease.toMillis() < 1) {
      throw new IllegalArgumentException("lease must be 1 millisecond or more, but was " + lease);
    }
    return lease;
  }

  /**
   * Opens the deployment at a URL as for the Redis store.
   *
   * @throws IllegalArgumentException if the URL is wrong
   * @throws PunctualException if the deployment cannot be reached or used
   */
  public static Deployment open(String url) {
    RedisOptions options = new RedisOptions();
    options.url(StoreUrl.parse(url));
    return options.open(null);
  }

  /** Returns a script that checks the owner, and then executes these files. */
  public static Script ownedScript(Class<?> near, String... files) {
    return Script.of(
        file -> {
          String resource = file.equals("owner.lua") ? "" : file;
          return resource.isEmpty()
              ? RedisStaging.class.getResourceAsStream(file)
              : near.getResourceAsStream(resource);
        },
        withOwner(files));
  }

  private static String[] withOwner(String... files) {
    String[] all = new String[files.length + 1];
    all[0] = "owner";
    System.arraycopy(files, 0, all, 1, files.length);
    return all;
  }

  private static Script script(String... files) {
    return Script.of(RedisStaging.class::getResourceAsStream, files);
  }

  /**
   * Makes this importer the owner of the source. Waits for the end of a dead importer's lease.
   *
   * @param target the target of this import
   * @throws PunctualException if another importer works on the source, or the source has entries
   *     that are staged for a different target
   */
  public void acquire(ImportTarget target) {
    acquire();
    List<@Nullable Object> other =
        run(
            TARGET,
            List.of(keys.staged, keys.marked, keys.target),
            List.of(target.text().getBytes(UTF_8)));
    if (!other.isEmpty()) {
      throw target.refusal(text(other.get(0)));
    }
  }

  private void acquire() {
    long deadline = System.nanoTime() + lease.plus(BEYOND_LEASE).toNanos();
    boolean said = false;
    while (true) {
      List<@Nullable Object> reply =
          await(deployment.run(RENEW, List.of(keys.owner), List.of(name, leaseMillis())));
      if (isMine(reply)) {
        return;
      }
      if (System.nanoTime() - deadline > 0) {
        throw otherOwner(reply);
      }
      if (!said) {
        log.info(
            "Waiting up to {} for the lease of importer {} (process id and number) to end",
            lease.plus(BEYOND_LEASE),
            text(reply.get(1)));
        said = true;
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new PunctualException(
            "The wait for importer " + text(reply.get(1)) + " was interrupted");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  private static boolean isMine(List<@Nullable Object> reply) {
    return !"O".equals(text(reply.get(0)));
  }

  private static PunctualException otherOwner(List<@Nullable Object> reply) {
    return new PunctualException(
        "Importer "
            + text(reply.get(1))
            + " (process id and number) works on this queue; run one importer at a time");
  }

  private byte[] leaseMillis() {
    return bytes(lease.toMillis());
  }

  /**
   * Runs a script that begins with {@code owner.lua}.
   *
   * @param others the keys of the script that follow the key of the owner
   * @param argv the arguments that follow the name of the importer and the lease
   * @return the elements of the reply after the first
   * @throws PunctualException if another importer has taken over
   */
  public List<@Nullable Object> run(Script script, List<byte[]> others, List<byte[]> argv) {
    List<@Nullable Object> reply = asked(script, others, argv);
    if (!isMine(reply)) {
      throw otherOwner(reply);
    }
    return reply.subList(1, reply.size());
  }

  private List<@Nullable Object> asked(Script script, List<byte[]> others, List<byte[]> argv) {
    List<byte[]> allKeys = new ArrayList<>(List.of(keys.owner));
    allKeys.addAll(others);
    List<byte[]> allArgv = new ArrayList<>(List.of(name, leaseMillis()));
    allArgv.addAll(argv);
    return await(deployment.run(script, allKeys, allArgv));
  }

  /** Sends a command to the server of the source, and returns the elements of its reply. */
  public List<@Nullable Object> send(Request request) {
    return await(deployment.link(keys.owner).send(request));
  }

  /** Reads staged entries. */
  public List<Scored> staged(long offset, int max) {
    return read(keys.staged, offset, max);
  }

  /** Reads the first marked entries. */
  public List<Scored> marked(int max) {
    return read(keys.marked, 0, max);
  }

  /** Returns the number of staged entries. */
  public long countStaged() {
    Object count = send(Request.of(CommandType.ZCARD, text(keys.staged))).get(0);
    return count instanceof Long number ? number : 0;
  }

  private List<Scored> read(byte[] set, long offset, int max) {
    return scored(run(READ, List.of(set), List.of(bytes(offset), bytes(max), bytes(BATCH_BYTES))));
  }

  /** Returns the pairs of entry and due time in a reply. */
  public static List<Scored> scored(List<@Nullable Object> reply) {
    List<Scored> entries = new ArrayList<>(reply.size() / 2);
    for (int i = 0; i + 1 < reply.size(); i += 2) {
      if (reply.get(i) instanceof byte[] entry) {
        entries.add(new Scored(entry, text(reply.get(i + 1))));
      }
    }
    return entries;
  }

  /** Renews the lease of this importer. */
  public void renew() {
    List<@Nullable Object> unused = run(RENEW, List.of(), List.of());
  }

  /**
   * Moves staged entries to the marked entries, and returns the entries that are marked now: none
   * if another importer has taken over.
   */
  public List<ImportEntry> mark(List<ImportEntry> entries) {
    List<@Nullable Object> reply =
        asked(MARK, List.of(keys.staged, keys.marked), StagedSource.tokens(entries));
    return isMine(reply) ? without(entries, reply.subList(1, reply.size())) : List.of();
  }

  /**
   * Returns the entries that are neither staged nor marked, also if another importer has taken
   * over.
   */
  public List<ImportEntry> gone(List<ImportEntry> entries) {
    List<byte[]> tokens = StagedSource.tokens(entries);
    return without(
        entries, await(deployment.run(KNOWN, List.of(keys.staged, keys.marked), tokens)));
  }

  /** Returns the entries without those with these numbers. */
  private static List<ImportEntry> without(
      List<ImportEntry> entries, List<@Nullable Object> numbers) {
    Set<@Nullable Object> left = new HashSet<>(numbers);
    return IntStream.range(0, entries.size())
        .filter(i -> !left.contains((long) i))
        .mapToObj(entries::get)
        .toList();
  }

  public void remove(List<byte[]> entries) {
    List<@Nullable Object> unused = run(REMOVE, List.of(keys.marked), entries);
  }

  /** Ends the ownership, so that the next importer need not wait. */
  @Override
  public void close() {
    try {
      List<@Nullable Object> unused =
          await(
              deployment.run(
                  LEAVE,
                  List.of(keys.owner, keys.staged, keys.marked, keys.target),
                  List.of(name)));
    } catch (RuntimeException e) {
      log.debug("The lease of the importer ends by itself", e);
    }
  }

  /**
   * Waits for a reply, and returns its elements.
   *
   * @throws StoreUnavailableException if Redis gave no answer, so that a repetition may succeed
   * @throws StoreRefusedException if Redis refused the call
   */
  public static List<@Nullable Object> await(CompletableFuture<RedisReply> reply) {
    try {
      return reply.join().values();
    } catch (CompletionException e) {
      Throwable failure = Failures.unwrap(e);
      String message = String.valueOf(failure.getMessage());
      if (RedisCallException.isTransient(failure)) {
        throw new StoreUnavailableException(message, failure.getCause());
      }
      if (failure instanceof RedisCallException) {
        throw new StoreRefusedException(message, failure.getCause());
      }
      throw failure instanceof RuntimeException known ? known : e;
    }
  }

  public static byte[] bytes(long number) {
    return Long.toString(number).getBytes(UTF_8);
  }

  /** Returns an element of a reply as text; numbers as digits. */
  public static String text(@Nullable Object element) {
    return element instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(element);
  }
}

package io.punctual.lock.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.internal.log.Logs;
import io.punctual.lock.LockInfo;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.Request;
import io.punctual.timer.Timeout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Stores the name of this client's process in a key on the server, for operators who inspect the
 * locks. The client writes the key when it acquires its first lock, and then every 15 minutes. If
 * it holds no lock when 15 minutes have passed, it stops, and writes the key again at its next
 * acquisition. The key expires an hour after the last write, so the process of a crashed holder can
 * be found. Thread-safe.
 */
public final class ClientCard {
  private static final Logger log = Logs.of(ClientCard.class);
  private static final Duration KEPT = Duration.ofHours(1);
  private static final Duration RENEWED = Duration.ofMinutes(15);
  private static final Duration RETRIED = Duration.ofMinutes(1);
  private static final Pattern TEXT = Pattern.compile("(\\d{1,18})@(\\S{1,300})(?: (.{0,300}))?");

  private final LockClient client;
  private final String name;
  private final BooleanSupplier isHolding;

  /** The id under which the name is stored; empty if it is not stored. */
  private final AtomicReference<String> shown = new AtomicReference<>("");

  private final AtomicBoolean hasFailed = new AtomicBoolean();
  private @Nullable Timeout next;
  private boolean closed;

  /**
   * Creates a card, which is not stored yet.
   *
   * @param name the name of this process; may be empty
   * @param isHolding returns whether the client holds a lock
   */
  public ClientCard(LockClient client, String name, BooleanSupplier isHolding) {
    this.client = client;
    this.name = name;
    this.isHolding = isHolding;
  }

  static String key(LockClient client, String id) {
    return "{" + client.namespace() + ":lock}:client:" + id;
  }

  /** Stores the name, unless it is stored. Called when the client has acquired a lock. */
  public void show() {
    String before = shown.get();
    String id = client.ids().client();
    if (!id.equals(before) && shown.compareAndSet(before, id)) {
      begin();
    }
  }

  /**
   * Writes the key on a different thread, because the look-up of this host's name may block. Never
   * throws: the caller has acquired a lock, which needs no card.
   */
  private void begin() {
    try {
      client.executor().runOwn(this::write);
    } catch (Throwable e) { // for example no memory for a thread
      written(e);
    }
  }

  private void write() {
    try {
      String key = key(client, client.ids().client());
      String value = here(name).toString();
      client
          .deployment()
          .link(key.getBytes(UTF_8))
          .send(Request.of(CommandType.SET, key, value, "PX", Long.toString(KEPT.toMillis())))
          .whenComplete((answer, failure) -> written(failure));
    } catch (Throwable e) { // for example no memory
      written(e);
    }
  }

  private static LockInfo.Client here(String name) {
    return new LockInfo.Client(hostName(), ProcessHandle.current().pid(), name);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName().replaceAll("\\s", "_");
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }

  /** Parses the text of a card; empty if the text has a different form. */
  static Optional<LockInfo.Client> parse(String text) {
    Matcher parts = TEXT.matcher(text);
    return parts.matches()
        ? Optional.of(
            new LockInfo.Client(
                parts.group(2),
                Long.parseLong(parts.group(1)),
                parts.group(3) == null ? "" : parts.group(3)))
        : Optional.empty();
  }

  private void written(@Nullable Throwable failure) {
    try {
      again((failure == null ? RENEWED : RETRIED).toNanos());
      report(failure);
    } catch (Throwable e) { // for example no memory
      shown.set("");
    }
  }

  private void report(@Nullable Throwable failure) {
    if (failure == null) {
      hasFailed.set(false);
    } else if (!client.isClosed() && hasFailed.compareAndSet(false, true)) {
      log.warn(
          "'punctual lock list' cannot name this process: its key was not written, and is tried"
              + " again: {}",
          Failures.unwrap(failure).getMessage());
    }
  }

  private synchronized void again(long nanos) {
    if (next != null) {
      next.cancel();
    }
    next = closed ? null : client.after(nanos, this::renew);
    if (next == null) {
      shown.set(""); // so the next acquisition writes the key
    }
  }

  private void renew() {
    if (isHolding.getAsBoolean()) {
      begin();
      return;
    }
    shown.set("");
    if (isHolding.getAsBoolean()) {
      show();
    }
  }

  /** Stops the renewals of the key. */
  public synchronized void close() {
    closed = true;
    if (next != null) {
      next.cancel();
    }
  }
}

package io.punctual.redis.client.scripted;

import io.lettuce.core.RedisConnectionException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A server that a test scripts. At first, it accepts connections and answers no request. */
public final class ScriptedServer {
  /** What the server does when a client connects. */
  private enum Door {
    OPEN,
    SHUT,
    SILENT
  }

  private final Map<String, String> replies = new ConcurrentHashMap<>();
  private final List<ScriptedLink> links = new CopyOnWriteArrayList<>();
  private final Queue<ScriptedAttempt> attempts = new ArrayDeque<>();
  private volatile Door door = Door.OPEN;
  private volatile RuntimeException refusal = new RedisConnectionException("Unable to connect");
  private final AtomicInteger connects = new AtomicInteger();

  /** Answers each request that starts with this text at once, with the longest text that fits. */
  public ScriptedServer answer(String request, String reply) {
    replies.put(request, reply);
    return this;
  }

  /** Leaves requests that start with this text without a reply. */
  public void leave(String request) {
    replies.remove(request);
  }

  @Nullable String answerTo(String request) {
    return replies.keySet().stream()
        .filter(request::startsWith)
        .max((one, two) -> Integer.compare(one.length(), two.length()))
        .map(replies::get)
        .orElse(null);
  }

  /** Accepts the next connections at once. */
  public void accept() {
    door = Door.OPEN;
  }

  /** Refuses the next connections at once. */
  public void refuse() {
    door = Door.SHUT;
  }

  /** Refuses the next connections at once, with this failure of the library. */
  public void refuse(RuntimeException failure) {
    refusal = failure;
    refuse();
  }

  /** Leaves the next connections to the test, see {@link #attempt}. */
  public void hold() {
    door = Door.SILENT;
  }

  void connect(ScriptedAttempt attempt) {
    connects.incrementAndGet();
    links.add(attempt.link());
    switch (door) {
      case OPEN -> attempt.accept();
      case SHUT -> attempt.refuse(refusal);
      case SILENT -> attempts.add(attempt);
    }
  }

  /** Returns the oldest attempt to connect that neither was accepted nor refused. */
  public ScriptedAttempt attempt() {
    return attempts.remove();
  }

  /** Returns the number of attempts to connect so far. */
  public int connects() {
    return connects.get();
  }

  /** Returns the latest connection, or the latest attempt to connect. */
  public ScriptedLink link() {
    return links.get(links.size() - 1);
  }

  /** Returns the connections and attempts to connect so far, in this order. */
  public List<ScriptedLink> links() {
    return links;
  }

  /** Returns all requests so far over all connections, in the order of the connections. */
  public List<String> requests() {
    return links.stream().flatMap(link -> link.requests().stream()).toList();
  }

  /** Ends all connections, and refuses new connections. */
  public void kill() {
    refuse();
    links.stream().filter(ScriptedLink::isOpen).forEach(ScriptedLink::lose);
  }
}

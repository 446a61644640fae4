package io.punctual.runtime;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A memory store that also keeps announcements, so that several clients of a test see each other's
 * workers. For a single thread.
 */
final class AnnouncingStore {
  final ManualClock clock = new ManualClock();
  final MemoryStore memory = MemoryStore.builder().clock(clock).build();

  /** The announcements, by client. */
  final Map<String, Announcement> kept = new LinkedHashMap<>();

  /** The texts that clients announced, in order. */
  final List<String> texts = new ArrayList<>();

  /** How often clients asked for announcements. */
  int listings;

  /** Whether announcements and their listings fail. */
  boolean isDown;

  private final Map<String, Long> ends = new LinkedHashMap<>();

  Store view() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "capabilities" -> EnumSet.allOf(Capability.class);
                  case "announce" ->
                      answer(
                          announce(
                              (String) arguments[0],
                              (String) arguments[1],
                              (Duration) arguments[2]));
                  case "announcements" ->
                      answer(arguments == null ? all() : of((Collection<?>) arguments[0]));
                  case "close" -> null;
                  default -> {
                    try {
                      yield method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }
                });
  }

  private CompletableFuture<?> answer(@Nullable Object value) {
    return isDown
        ? CompletableFuture.failedFuture(new IllegalStateException("seeded by the test"))
        : CompletableFuture.completedFuture(value);
  }

  /** Keeps an announcement of a client that the test plays, for a minute. */
  void announced(String client, String text) {
    Void unused = announce(client, text, Duration.ofMinutes(1));
  }

  private @Nullable Void announce(String client, String text, Duration keep) {
    if (!isDown) {
      texts.add(text);
      kept.put(client, new Announcement(client, text, clock.millis()));
      ends.put(client, text.isEmpty() ? 0 : clock.millis() + keep.toMillis());
    }
    return null;
  }

  private List<Announcement> all() {
    listings++;
    kept.keySet().removeIf(client -> ends.getOrDefault(client, 0L) <= clock.millis());
    return List.copyOf(kept.values());
  }

  private List<Announcement> of(Collection<?> clients) {
    return all().stream().filter(each -> clients.contains(each.client())).toList();
  }
}

package io.punctual.httpstore.service;

import io.punctual.httpstore.wire.Request;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The texts about clients. Keeps them itself if the store can't, because all clients of such a
 * store use this server. Shows a client only the lines about queues that it may use. Thread-safe.
 */
final class Announcements {
  private static final int MOST = 10_000;

  /**
   * The name of a text that asks a worker of a client to pause, or the client to look for such
   * texts.
   */
  private static final Pattern NOTE = Pattern.compile("(?<client>.+)(note(?<number>[0-9]+)|bell)");

  /** The index of the number in the line of a worker. */
  private static final int NUMBER = 5;

  /** About 40,000 workers. */
  private static final int MOST_CHARACTERS_OF_SENDER = 4 << 20;

  private final Store store;
  private final InstantSource clock;
  private final Map<String, Kept> own = new HashMap<>();

  private record Kept(Announcement announcement, String sender, long endMillis) {}

  Announcements(Store store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  private boolean isOfStore() {
    return store.capabilities().contains(Capability.WORKERS);
  }

  CompletionStage<@Nullable Void> announce(Request.Announce request, Access access) {
    String client = request.client();
    String text = request.text();
    Set<String> announced = new Announcement(client, text, 0).queues();
    for (String queue : announced) {
      if (!access.may(queue)) {
        throw new ForbiddenException(access, queue);
      }
    }
    Matcher note = NOTE.matcher(client);
    boolean isNote = note.matches() && announced.isEmpty();
    String subject = isNote ? note.group("client") : client;
    return all(List.of(subject))
        .thenCompose(
            known -> {
              boolean may =
                  isNote
                      ? known.stream().anyMatch(each -> isOf(access, each, note.group("number")))
                      : known.stream().allMatch(each -> isOf(access, each));
              if (!may) {
                throw new ForbiddenException(
                    access.name() + " may not write about the workers of client " + subject);
              }
              return isOfStore()
                  ? store.announce(client, text, request.keep())
                  : keep(request, access.name());
            });
  }

  private CompletionStage<@Nullable Void> keep(Request.Announce request, String sender) {
    String client = request.client();
    String text = request.text();
    long now = clock.millis();
    synchronized (own) {
      forget(now);
      own.remove(client);
      long bytes =
          text.length()
              + own.values().stream()
                  .filter(each -> each.sender.equals(sender))
                  .mapToLong(each -> each.announcement.text().length())
                  .sum();
      if (!text.isEmpty() && own.size() < MOST && bytes <= MOST_CHARACTERS_OF_SENDER) {
        own.put(
            client,
            new Kept(new Announcement(client, text, now), sender, now + request.keep().toMillis()));
      }
    }
    return CompletableFuture.completedStage(null);
  }

  CompletionStage<List<Announcement>> list(Access access) {
    return visible(all(null), access);
  }

  CompletionStage<List<Announcement>> read(List<String> clients, Access access) {
    return visible(all(clients), access);
  }

  private static CompletionStage<List<Announcement>> visible(
      CompletionStage<List<Announcement>> all, Access access) {
    return all.thenApply(
        found ->
            found.stream()
                .map(each -> visible(each, access))
                .filter(Objects::nonNull)
                .<Announcement>map(Objects::requireNonNull)
                .toList());
  }

  private CompletionStage<List<Announcement>> all(@Nullable List<String> clients) {
    if (!isOfStore()) {
      return own(clients);
    }
    return clients == null ? store.announcements() : store.announcements(clients);
  }

  /** Returns whether all workers of a client are of the sender's queues. */
  private static boolean isOf(Access access, Announcement announcement) {
    return announcement.queues().stream().allMatch(access::may);
  }

  /** Returns whether a worker of a client, or any if the number is null, is of such a queue. */
  private static boolean isOf(Access access, Announcement announcement, @Nullable String number) {
    return announcement
        .text()
        .lines()
        .skip(1)
        .filter(line -> number == null || number.equals(field(line, NUMBER)))
        .flatMap(line -> queues(line).stream())
        .anyMatch(access::may);
  }

  private static @Nullable String field(String line, int index) {
    String[] fields = line.split("\t", -1);
    return fields.length > index ? fields[index] : null;
  }

  private CompletionStage<List<Announcement>> own(@Nullable List<String> clients) {
    List<Announcement> all = new ArrayList<>();
    synchronized (own) {
      forget(clock.millis());
      own.forEach(
          (client, kept) -> {
            if (clients == null || clients.contains(client)) {
              all.add(kept.announcement());
            }
          });
    }
    return CompletableFuture.completedStage(all);
  }

  private void forget(long nowMillis) {
    own.values().removeIf(kept -> kept.endMillis() <= nowMillis);
  }

  /** Returns the announcement without the lines about other queues, or null if none is left. */
  private static @Nullable Announcement visible(Announcement all, Access access) {
    if (isOf(access, all)) {
      return all;
    }
    String text =
        all.text()
            .lines()
            .filter(line -> queues(line).stream().allMatch(access::may))
            .collect(Collectors.joining("\n"));
    Announcement rest = new Announcement(all.client(), text, all.seenMillis());
    return rest.queues().isEmpty() ? null : rest;
  }

  private static Set<String> queues(String line) {
    return new Announcement("", "\n" + line, 0).queues();
  }
}

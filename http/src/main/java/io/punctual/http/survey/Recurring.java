package io.punctual.http.survey;

import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.RecurrenceException;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.problem.Problems;
import io.punctual.http.queue.Queues;
import io.punctual.view.MessageView;
import io.punctual.view.Redaction;
import io.punctual.view.Tree;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Lists the recurring messages. The store has no index of them, so a page reads a bounded number of
 * messages, and can have few or none although further pages follow. Thread-safe.
 */
final class Recurring {
  private static final List<State> STATES = List.of(State.SCHEDULED, State.READY, State.LEASED);

  /** The number of messages in one read, and the largest number of reads for a page. */
  private static final int READ = 200;

  private static final int READS = 10;

  private final Queues queues;

  Recurring(Queues queues) {
    this.queues = queues;
  }

  /** Where a page begins: a queue, one of the states, and a cursor of the queue or null. */
  private record Place(String queue, int state, @Nullable String cursor) {
    String text() {
      String text = queue + "\n" + state + "\n" + (cursor == null ? "" : cursor);
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    static Place parse(String text) {
      try {
        String[] parts =
            new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split("\n", -1);
        int state = Integer.parseInt(parts[1]);
        if (parts.length == 3 && state >= 0 && state < STATES.size()) {
          return new Place(parts[0], state, parts[2].isEmpty() ? null : parts[2]);
        }
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        // Told below.
      }
      throw Problems.invalid("The query parameter cursor: is not from a page of this listing");
    }
  }

  CompletionStage<Map<String, @Nullable Object>> page(
      Caller caller, Optional<String> queue, Optional<String> cursor) {
    Optional<Place> begin = cursor.map(Place::parse);
    return queues
        .names(caller, Right.OBSERVE)
        .thenCompose(
            names -> {
              List<String> left =
                  names.stream()
                      .filter(name -> queue.isEmpty() || queue.get().equals(name))
                      .filter(name -> begin.isEmpty() || begin.get().queue.compareTo(name) <= 0)
                      .toList();
              if (left.isEmpty()) {
                return CompletableFuture.completedFuture(tree(List.of(), null));
              }
              Place first =
                  begin
                      .filter(place -> place.queue.equals(left.get(0)))
                      .orElse(new Place(left.get(0), 0, null));
              return read(caller, left, first, READS, new ArrayList<>());
            });
  }

  private CompletionStage<Map<String, @Nullable Object>> read(
      Caller caller, List<String> names, Place place, int reads, List<Object> found) {
    if (reads == 0) {
      return CompletableFuture.completedFuture(tree(found, place));
    }
    MessageQuery all = MessageQuery.of(STATES.get(place.state)).limit(READ);
    MessageQuery query = place.cursor == null ? all : all.after(place.cursor);
    return queues
        .open(place.queue)
        .thenCompose((TimedQueue<byte[]> queue) -> queue.async().browse(query))
        .thenCompose(
            page -> {
              add(caller, place.queue, page, found);
              Place next = next(names, place, page.next().orElse(null));
              return next == null
                  ? CompletableFuture.completedFuture(tree(found, null))
                  : read(caller, names, next, reads - 1, found);
            });
  }

  private static @Nullable Place next(List<String> names, Place place, @Nullable String cursor) {
    if (cursor != null) {
      return new Place(place.queue, place.state, cursor);
    }
    if (place.state + 1 < STATES.size()) {
      return new Place(place.queue, place.state + 1, null);
    }
    int index = names.indexOf(place.queue) + 1;
    return index < names.size() ? new Place(names.get(index), 0, null) : null;
  }

  private static void add(
      Caller caller, String queue, Page<StoredMessage<byte[]>> page, List<Object> found) {
    Redaction redaction = caller.may(Right.PAYLOADS, queue) ? Redaction.NONE : Redaction.CONTENTS;
    for (StoredMessage<byte[]> message : page.items()) {
      if (recurs(message)) {
        found.add(
            new Tree()
                .put("queue", queue)
                .put("message", MessageView.of(message, redaction))
                .toMap());
      }
    }
  }

  private static boolean recurs(StoredMessage<byte[]> message) {
    try {
      return message.recurrence().isPresent();
    } catch (RecurrenceException e) {
      return true; // Its view tells why it can't be computed.
    }
  }

  private static Map<String, @Nullable Object> tree(List<Object> found, @Nullable Place next) {
    return new Tree()
        .put("recurring", found)
        .put("next", next == null ? null : next.text())
        .toMap();
  }
}

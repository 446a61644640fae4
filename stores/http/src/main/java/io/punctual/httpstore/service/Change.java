package io.punctual.httpstore.service;

import io.punctual.PauseNote;
import io.punctual.httpstore.wire.Request;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change by a client of an HTTP store that somebody may ask about later: all but the schedules,
 * claims and settlements of messages.
 *
 * @param action what was done, such as {@code pause}
 * @param queue the queue
 * @param ids the ids of the messages, empty if it concerns the queue
 * @param reason why, or null if it is not stated
 */
public record Change(String action, String queue, List<String> ids, @Nullable String reason) {
  /** Returns the changes of a request. A change of all partitions is that of the first. */
  static List<Change> of(Request<?> request) {
    if (request instanceof Request.DeleteQueue delete) {
      return List.of(new Change("delete-queue", delete.queue(), List.of(), null));
    }
    if (request instanceof Request.MakeCall make
        && make.call().body() instanceof Call.Apply apply) {
      return of(make.place().queue(), apply.operations());
    }
    if (!(request instanceof Request.OfPartition<?> of) || of.place().index() != 0) {
      return List.of();
    }
    String queue = of.place().queue();
    if (request instanceof Request.Pause pause) {
      PauseNote note = pause.note();
      String reason = note.reason().isEmpty() ? null : note.reason();
      return List.of(new Change(pause.paused() ? "pause" : "resume", queue, List.of(), reason));
    }
    if (request instanceof Request.SetLimits) {
      return List.of(new Change("limits", queue, List.of(), null));
    }
    return request instanceof Request.Purge
        ? List.of(new Change("purge", queue, List.of(), null))
        : List.of();
  }

  private static List<Change> of(String queue, List<Operation> operations) {
    Map<String, List<String>> ids = new LinkedHashMap<>();
    for (Operation operation : operations) {
      String action = action(operation);
      if (action != null) {
        ids.computeIfAbsent(action, key -> new ArrayList<>()).add(operation.id());
      }
    }
    return ids.entrySet().stream()
        .map(entry -> new Change(entry.getKey(), queue, entry.getValue(), null))
        .toList();
  }

  private static @Nullable String action(Operation operation) {
    if (operation instanceof Operation.Cancel) {
      return "cancel";
    }
    if (operation instanceof Operation.Reschedule) {
      return "reschedule";
    }
    if (operation instanceof Operation.RunNow) {
      return "run";
    }
    if (operation instanceof Operation.ChangeWaiting change) {
      return change.due() == null ? "cancel" : "reschedule";
    }
    if (operation instanceof Operation.Redrive) {
      return "redrive";
    }
    return operation instanceof Operation.DeleteDead ? "delete-dead" : null;
  }
}

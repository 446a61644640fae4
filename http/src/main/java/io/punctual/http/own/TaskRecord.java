package io.punctual.http.own;

import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.http.text.BadInputException;
import io.punctual.view.JsonText;
import io.punctual.view.Redaction;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change of many messages, with its progress, as the store keeps it. Immutable.
 *
 * @param id its id
 * @param by who began it
 * @param createdAt when
 * @param order what to do
 * @param state how far it is
 * @param counts its counts
 * @param position where another process continues, or null from the beginning
 * @param updatedAt when the record was written; if it has an error, since when
 * @param error why it failed, or does not go on yet, or null
 */
record TaskRecord(
    String id,
    String by,
    Instant createdAt,
    TaskOrder order,
    State state,
    TaskCounts counts,
    @Nullable String position,
    Instant updatedAt,
    @Nullable String error) {
  private static final Fields FIELDS =
      Fields.of(
          "id", "by", "createdAt", "order", "state", "counts", "position", "updatedAt", "error");

  /** How far a task is. */
  enum State {
    WAITING,
    RUNNING,
    DONE,
    CANCELLED,
    FAILED;

    boolean isEnded() {
      return this != WAITING && this != RUNNING;
    }
  }

  static TaskRecord begun(String id, String by, TaskOrder order, Instant now) {
    return new TaskRecord(id, by, now, order, State.WAITING, TaskCounts.NONE, null, now, null);
  }

  /** Returns this record with the time of its creation by the clock of the store. */
  TaskRecord createdAt(Instant time) {
    return new TaskRecord(id, by, time, order, state, counts, position, time, error);
  }

  /** Returns a record that keeps the error of earlier attempts until this one has done more. */
  TaskRecord progressed(State next, TaskCounts total, @Nullable String after, Instant now) {
    boolean hasMoved = !total.equals(counts) || (after != null && !after.equals(position));
    boolean isStuck = error != null && !next.isEnded() && !hasMoved;
    return new TaskRecord(
        id,
        by,
        createdAt,
        order,
        next,
        total,
        after == null ? position : after,
        isStuck ? updatedAt : now,
        isStuck ? error : null);
  }

  TaskRecord failed(String why, Instant now) {
    return new TaskRecord(id, by, createdAt, order, State.FAILED, counts, position, now, why);
  }

  /** Returns the record of a task that is tried again. */
  TaskRecord delayed(String why, Instant since) {
    return new TaskRecord(id, by, createdAt, order, state, counts, position, since, why);
  }

  /** Returns what a caller sees. */
  Map<String, @Nullable Object> tree(Redaction redaction) {
    Tree tree =
        new Tree().put("id", id).put("by", by).put("createdAt", createdAt).put("state", state);
    order.addTo(tree);
    if (order.readsContents() && !redaction.showsContents()) {
      tree.put("filter", Map.of("contents", Redaction.REDACTED));
    }
    counts.addTo(tree);
    return tree.put("updatedAt", updatedAt).put("error", error).toMap();
  }

  byte[] toBytes() {
    Tree orderTree = new Tree();
    order.addTo(orderTree);
    Tree countTree = new Tree();
    counts.addTo(countTree);
    return JsonOutput.tree(
        new Tree()
            .put("id", id)
            .put("by", by)
            .put("createdAt", Values.instant(createdAt))
            .put("order", orderTree.toMap())
            .put("state", state)
            .put("counts", countTree.toMap())
            .put("position", position)
            .put("updatedAt", Values.instant(updatedAt))
            .put("error", error)
            .toMap());
  }

  static TaskRecord parse(byte[] bytes) {
    return JsonInput.read(bytes, TaskRecord::read);
  }

  private static TaskRecord read(JsonInput input) {
    Parts parts = new Parts();
    input.object(FIELDS, name -> parts.read(name, input));
    TaskOrder order = parts.order;
    if (order == null) {
      throw new BadInputException("The record of a task has no order");
    }
    return new TaskRecord(
        parts.id,
        parts.by,
        parts.createdAt,
        order,
        parts.state,
        parts.counts,
        parts.position,
        parts.updatedAt,
        parts.error);
  }

  /** Returns JSON that stays as it is. */
  static @Nullable JsonText json(byte @Nullable [] raw) {
    return raw == null ? null : JsonText.of(new String(raw, StandardCharsets.UTF_8)).orElse(null);
  }

  private static final class Parts {
    String id = "";
    String by = "";
    Instant createdAt = Instant.EPOCH;
    @Nullable TaskOrder order;
    State state = State.WAITING;
    TaskCounts counts = TaskCounts.NONE;
    @Nullable String position;
    Instant updatedAt = Instant.EPOCH;
    @Nullable String error;

    void read(String name, JsonInput input) {
      switch (name) {
        case "id" -> id = input.text();
        case "by" -> by = input.text();
        case "createdAt" -> createdAt = input.instant();
        case "order" -> order = TaskOrder.read(input);
        case "state" -> state = input.constant(State.class);
        case "counts" -> counts = TaskCounts.read(input);
        case "position" -> position = input.text();
        case "updatedAt" -> updatedAt = input.instant();
        default -> error = input.text();
      }
    }
  }
}

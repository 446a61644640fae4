package io.punctual.view;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A problem, as RFC 9457 has it.
 *
 * @param type the type, such as {@code urn:punctual:problem:not-found}
 * @param title what problems of the type have in common
 * @param status the status in HTTP
 * @param detail what happened, and what to do
 * @param outcome whether the change was done: {@code done}, {@code not-done} or {@code unknown}
 * @param queue the queue, or null if the request names none
 * @param id the id of the message, or null if the request names none
 */
public record ProblemView(
    String type,
    String title,
    int status,
    String detail,
    String outcome,
    @Nullable String queue,
    @Nullable String id)
    implements View {
  /** Returns a problem without the names of a queue and a message. */
  public static ProblemView of(Outcome outcome, String detail) {
    return new ProblemView(
        outcome.type(),
        outcome.title(),
        outcome.status(),
        detail,
        outcome.done().text(),
        null,
        null);
  }

  /** Returns this problem with the name of its queue. */
  public ProblemView withQueue(String name) {
    return new ProblemView(type, title, status, detail, outcome, name, id);
  }

  /** Returns this problem with the id of its message. */
  public ProblemView withId(String message) {
    return new ProblemView(type, title, status, detail, outcome, queue, message);
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("type", type)
        .put("title", title)
        .put("status", status)
        .put("detail", detail)
        .put("outcome", outcome)
        .put("queue", queue)
        .put("id", id)
        .toMap();
  }
}

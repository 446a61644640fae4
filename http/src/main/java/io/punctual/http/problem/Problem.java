package io.punctual.http.problem;

import io.punctual.http.exchange.Answer;
import io.punctual.http.json.JsonOutput;
import io.punctual.view.Outcome;
import io.punctual.view.Outcomes;
import io.punctual.view.ProblemView;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a request, or a part of it, was not done as asked. Immutable.
 *
 * @param outcome how the request ended
 * @param view what the sender sees
 * @param headers headers of the answer
 */
public record Problem(Outcome outcome, ProblemView view, Map<String, String> headers) {
  /** The type of the body. */
  public static final String CONTENT_TYPE = "application/problem+json";

  /** Copies the headers. */
  public Problem {
    headers = Map.copyOf(headers);
  }

  /** Returns a problem that tells what happened, and what to do. */
  public static Problem of(Outcome outcome, String detail) {
    return new Problem(outcome, ProblemView.of(outcome, detail), Map.of());
  }

  /** Returns the problem of a failure of the core. */
  public static Problem of(Throwable failure) {
    return new Problem(Outcomes.of(failure), Outcomes.problem(failure), Map.of());
  }

  /** Returns this problem with the queue and the message that the request names. */
  public Problem about(@Nullable String queue, @Nullable String id) {
    ProblemView more = queue == null ? view : view.withQueue(queue);
    return new Problem(outcome, id == null || more.id() != null ? more : more.withId(id), headers);
  }

  /** Returns this problem with a header. */
  public Problem header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Problem(outcome, view, more);
  }

  /** Returns the answer to the request. */
  public Answer answer() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("Content-Type", CONTENT_TYPE);
    all.put("Cache-Control", "no-store");
    outcome.retryAfter().ifPresent(time -> all.put("Retry-After", Long.toString(time.toSeconds())));
    all.putAll(headers);
    return new Answer(
        view.status(), all, new Answer.Bytes(JsonOutput.tree(view.tree())), Answer.Written.NOTHING);
  }

  /** Returns an exception that ends the request with this problem. */
  public ProblemException exception() {
    return new ProblemException(this);
  }
}

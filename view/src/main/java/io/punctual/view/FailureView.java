package io.punctual.view;

import io.punctual.Failure;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt of a message.
 *
 * @param attempt the number of the attempt, from 1
 * @param at when it failed
 * @param error the text of the failure
 */
public record FailureView(int attempt, String at, String error) implements View {
  /** Returns the view of a failure. */
  public static FailureView of(Failure failure) {
    return new FailureView(failure.attempt(), Values.instant(failure.at()), failure.error());
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree().put("attempt", attempt).put("at", at).put("error", error).toMap();
  }
}

package io.punctual.spring.boot.autoconfigure;

import io.punctual.PunctualException;
import io.punctual.view.Outcomes;
import io.punctual.view.ProblemView;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The replies of an actuator endpoint, as the HTTP API makes them. */
final class Replies {
  private Replies() {}

  /**
   * Makes a reply. If the request is wrong, or the store does not support it, the reply has the
   * status 400 and the reason as its field {@code error}. Spring Boot's own reply to a wrong
   * request has no reason by default. If the store fails, the reply is the problem, which says
   * whether a change was done.
   */
  static WebEndpointResponse<Object> to(Supplier<WebEndpointResponse<Object>> request) {
    try {
      return request.get();
    } catch (IllegalArgumentException | UnsupportedOperationException | PunctualException e) {
      return failed(e);
    }
  }

  /**
   * Answers a question: with the plain answer, which JMX shows as it is; with null, which is the
   * status 404, if there is none; or with a reply like {@link #to}, if the question fails.
   */
  static @Nullable Object of(Supplier<? extends @Nullable Object> question) {
    try {
      return question.get();
    } catch (IllegalArgumentException | UnsupportedOperationException | PunctualException e) {
      return failed(e);
    }
  }

  private static WebEndpointResponse<Object> failed(RuntimeException failure) {
    if (failure instanceof PunctualException) {
      ProblemView problem = Outcomes.problem(failure);
      return new WebEndpointResponse<>(problem.tree(), problem.status());
    }
    return new WebEndpointResponse<>(
        Map.of("error", String.valueOf(failure.getMessage())),
        WebEndpointResponse.STATUS_BAD_REQUEST);
  }

  /** Returns the reply if the queue, the message or the listener does not exist. */
  static WebEndpointResponse<Object> notFound() {
    return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
  }

  static IllegalArgumentException unknown(String action, String known) {
    return new IllegalArgumentException(
        "The action '" + action + "' is unknown; use the action " + known);
  }
}

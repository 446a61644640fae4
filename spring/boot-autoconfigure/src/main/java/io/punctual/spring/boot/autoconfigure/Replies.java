package io.punctual.spring.boot.autoconfigure;

import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The replies of an actuator endpoint to requests that change something. */
final class Replies {
  private Replies() {}

  /**
   * Makes a change. If the request is wrong, or the store does not support the change, the reply
   * has the status 400 and the reason as its field {@code error}. Spring Boot's own reply to a
   * wrong request has no reason by default.
   */
  static WebEndpointResponse<Object> to(Supplier<WebEndpointResponse<Object>> change) {
    try {
      return change.get();
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      return new WebEndpointResponse<>(
          Map.of("error", String.valueOf(e.getMessage())), WebEndpointResponse.STATUS_BAD_REQUEST);
    }
  }

  /** Returns the reply if the queue, the message or the listener does not exist. */
  static WebEndpointResponse<Object> notFound() {
    return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
  }

  /** Returns the exception of a request with an unknown action. */
  static IllegalArgumentException unknown(String action, String known) {
    return new IllegalArgumentException(
        "The action '" + action + "' is unknown; use the action " + known);
  }
}

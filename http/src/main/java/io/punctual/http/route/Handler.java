package io.punctual.http.route;

import io.punctual.http.exchange.Answer;
import java.util.concurrent.CompletionStage;

/** Answers the requests of a route. */
@FunctionalInterface
public interface Handler {
  /** Answers a request. Does not block. Both an exception and a failed stage become a problem. */
  CompletionStage<Answer> handle(Exchange exchange);
}

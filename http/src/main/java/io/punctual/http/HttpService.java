package io.punctual.http;

import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.RequestHead;

/** Answers HTTP requests. Safe for use by many threads. */
public interface HttpService extends AutoCloseable {
  /**
   * Judges the head of a request before its body is read: the route, the caller and the rights.
   * Does not throw and does not block: a refusal is a call whose answer says why.
   */
  Call accept(RequestHead head);

  /**
   * Ends all waiting polls with an empty answer, and answers new polls at once. Other requests are
   * served as before.
   */
  void drain();

  /** Ends the waiting polls and the service's own work. */
  @Override
  void close();
}

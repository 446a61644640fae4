package io.punctual.http.access;

import io.punctual.http.exchange.RequestHead;

/** Finds out who sends a request. Does not block. Safe for use by many threads. */
@FunctionalInterface
public interface Authenticator {
  /**
   * Returns the caller.
   *
   * @throws UnauthenticatedException if the request has no valid proof of its sender
   */
  Caller authenticate(RequestHead head);
}

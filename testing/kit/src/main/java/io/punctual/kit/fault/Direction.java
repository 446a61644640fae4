package io.punctual.kit.fault;

/** A direction of a proxied connection. */
public enum Direction {
  /** From the client to the server: requests. */
  TO_SERVER,
  /** From the server to the client: replies. */
  TO_CLIENT
}

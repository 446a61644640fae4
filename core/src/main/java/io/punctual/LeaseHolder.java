package io.punctual;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The holder of a lease: the client that claimed the message, as far as {@link Punctual#workers}
 * knows it, and the claimant that the client named. Immutable.
 */
public interface LeaseHolder {
  /**
   * Returns the id of the session that claimed the message; the store keeps this id for each lease.
   */
  String session();

  /**
   * Returns the name that the claim gave with {@link ClaimOptions#claimant(String)}. Empty if the
   * claim gave none; in other processes than the holder's also in the first 3 seconds of a lease,
   * and if the client holds more than 2,000 messages for named claimants.
   */
  Optional<String> claimant();

  /**
   * Returns the names of the client's workers of the queue. The holder is one of them, or code of
   * the same client that claims without a worker. Empty if no such worker is listed.
   */
  List<String> workers();

  /**
   * Returns the host of the claimant, if {@link Punctual#announce} lists a worker of its name, else
   * the client's host; empty if the client is neither listed nor this client.
   */
  Optional<String> host();

  /** Returns the id of the process on its host, or empty if it is not known. */
  OptionalLong pid();

  /**
   * Returns the holder as a line, such as {@code orders-1 on web-3 (pid 4711)}, or {@code session
   * 3f…} if the host is not known.
   */
  String describe();
}

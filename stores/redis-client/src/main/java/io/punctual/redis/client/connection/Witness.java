package io.punctual.redis.client.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.request.Script;
import java.util.List;

/**
 * A request that proves that a server has certain changes. WAIT and WAITAOF cover only the writes
 * of their own connection, so the script of the request verifies that the server has the changes,
 * and then writes. After that, WAIT over the same connection covers the changes, over whichever
 * connection they were made. Immutable.
 *
 * @param subject what the changes belong to. Witnesses with equal subjects can share the request
 *     with the highest number
 * @param number the number of the latest change of the subject; the request proves all changes with
 *     lower numbers as well
 * @param script the script, which may run again at any time
 * @param keys the keys of the script, at least one
 * @param argv the arguments of the script
 * @param proof the values of the reply, all numbers, if the server has all changes. A different
 *     value in a place means that the server lacks the change of this place
 */
public record Witness(
    Object subject,
    long number,
    Script script,
    List<byte[]> keys,
    List<byte[]> argv,
    List<Long> proof) {
  private static final Script CALL = Script.of(Witness.class::getResourceAsStream, "witness");

  /**
   * Returns the witness of a session's call, and of all earlier calls of the session.
   *
   * @param session the key of the session
   */
  public static Witness ofCall(String session, long number) {
    List<byte[]> argv = List.of(Long.toString(number).getBytes(UTF_8));
    return new Witness(session, number, CALL, List.of(session.getBytes(UTF_8)), argv, List.of(1L));
  }

  /** Returns a witness that shares its request with no other witness. */
  public static Witness of(Script script, List<byte[]> keys, List<byte[]> argv, List<Long> proof) {
    return new Witness(new Object(), 0, script, keys, argv, proof);
  }
}

package io.punctual.migration;

/**
 * Converts the payload of an entry at the source into the payload of a message. If it throws any
 * exception, the entry stays at the source, and the report lists it.
 *
 * @param <T> the type of the message's payload
 */
@FunctionalInterface
public interface PayloadReader<T> {
  /**
   * Converts a payload.
   *
   * @param payload the bytes that the old library stored
   * @throws Exception if the bytes are not a payload of the expected form
   */
  T read(byte[] payload) throws Exception;
}

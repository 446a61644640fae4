package io.punctual.migration.sql;

/**
 * Converts a job of Quartz into the payload of a message. If it throws any exception, the job stays
 * with Quartz, and the report lists it. {@link QuartzPayloads} has ready implementations.
 *
 * @param <T> the type of the message's payload
 */
@FunctionalInterface
public interface QuartzPayload<T> {
  /**
   * Converts a job.
   *
   * @throws Exception if the job's data cannot be read
   */
  T read(QuartzJob job) throws Exception;
}

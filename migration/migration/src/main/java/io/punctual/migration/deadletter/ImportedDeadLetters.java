package io.punctual.migration.deadletter;

/**
 * The counts of a {@link DeadLetterImport}.
 *
 * @param stored the number of dead letters that were stored, or would be in a dry run
 * @param present the number of dead letters that the queue had already, with the same content and
 *     failures
 * @param refused the number of lines that were not imported; the receiver of {@link
 *     DeadLetterImport#onRefused} got each reason
 */
public record ImportedDeadLetters(long stored, long present, long refused) {}

package io.punctual.migration.copy;

/**
 * The counts of a {@link DeadLetterImport}.
 *
 * @param stored the dead letters that were stored
 * @param present the dead letters that the queue had already, with the same content and failures
 * @param refused the lines that were not imported; the listener received each reason
 */
public record ImportedDeadLetters(long stored, long present, long refused) {}

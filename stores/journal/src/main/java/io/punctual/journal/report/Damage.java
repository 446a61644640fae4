package io.punctual.journal.report;

/**
 * Something that is not as it was written.
 *
 * @param file the file's name
 * @param offset the byte at which it was noticed, from 0
 * @param reason what is wrong
 */
public record Damage(String file, long offset, String reason) {}

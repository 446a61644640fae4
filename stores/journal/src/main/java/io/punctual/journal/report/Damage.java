package io.punctual.journal.report;

/**
 * A damaged place of a file.
 *
 * @param file the file's name
 * @param offset the byte at which it was noticed, from 0
 * @param reason the kind of damage
 */
public record Damage(String file, long offset, String reason) {}

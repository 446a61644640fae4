package io.punctual.journal.report;

/**
 * A damaged part of a file.
 *
 * @param file the file's name
 * @param offset the position at which the damage was found, from 0
 * @param reason the kind of damage
 */
public record Damage(String file, long offset, String reason) {}

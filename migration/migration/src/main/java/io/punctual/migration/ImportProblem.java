package io.punctual.migration;

/**
 * An entry that an importer could not import. The entry stays at the source. Immutable.
 *
 * @param entry the id that the message would have, or the beginning of the entry, as text or in
 *     hexadecimal, if the entry has no id
 * @param reason why the entry could not be imported
 */
public record ImportProblem(String entry, String reason) {}

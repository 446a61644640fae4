package io.punctual.journal.report;

/**
 * The result of a damaged segment's repair. Changes that were recorded in its lost bytes are
 * undone: a message may be missing, or a settled, cancelled or changed message may be in its
 * earlier state.
 *
 * @param file the file's name; the repair keeps a copy of the damaged file with {@code .damaged}
 *     appended to the name, and a number if that name is taken
 * @param lostBytes how many bytes are lost; {@link #UNKNOWN} if the last segment is missing, or was
 *     cut off within its header, because nothing records its length
 * @param messages how many messages are kept, including messages that were removed later
 * @param states how many changes of messages are kept
 * @param removals how many removals of messages are kept
 */
public record SalvagedSegment(
    String file, long lostBytes, long messages, long states, long removals) {
  /** The number of lost bytes if it is unknown. */
  public static final long UNKNOWN = -1;
}

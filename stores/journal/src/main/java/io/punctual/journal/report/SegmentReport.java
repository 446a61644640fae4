package io.punctual.journal.report;

/**
 * The findings of a verification in a segment.
 *
 * @param file the file's name
 * @param bytes its length
 * @param closed whether it was ended; what follows the last good frame of one that was not, is cut
 *     at the next start
 * @param goodBytes how many bytes from the first on are as they were written
 * @param messages how many messages it tells of
 * @param states how many changes of messages
 * @param removals how many messages that have gone
 */
public record SegmentReport(
    String file,
    long bytes,
    boolean closed,
    long goodBytes,
    long messages,
    long states,
    long removals) {}

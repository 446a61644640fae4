package io.punctual.journal.report;

/**
 * The findings of a verification in a segment.
 *
 * @param file the file's name
 * @param bytes its length
 * @param closed whether it was ended; if not, the next start cuts the bytes after the last good
 *     frame
 * @param goodBytes how many bytes from the first on are as they were written
 * @param messages how many messages it has
 * @param states how many changes of messages
 * @param removals how many removals of messages
 */
public record SegmentReport(
    String file,
    long bytes,
    boolean closed,
    long goodBytes,
    long messages,
    long states,
    long removals) {}

package io.punctual.journal.report;

/**
 * The result of the verification of a segment.
 *
 * @param file the file's name
 * @param bytes the file's length in bytes
 * @param closed whether the segment was ended with a footer; if not, the next start cuts off the
 *     bytes after the last good frame
 * @param goodBytes the number of bytes before the first damaged or unfinished frame
 * @param messages the number of messages in the segment
 * @param states the number of changes of messages
 * @param removals the number of removals of messages
 */
public record SegmentReport(
    String file,
    long bytes,
    boolean closed,
    long goodBytes,
    long messages,
    long states,
    long removals) {}

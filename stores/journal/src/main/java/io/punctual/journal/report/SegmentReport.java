package io.punctual.journal.report;

/**
 * The result of the verification of a segment.
 *
 * @param file the file's name
 * @param bytes the file's length in bytes
 * @param closed whether the manifest says that the segment was ended; if not, the next start cuts
 *     off an unfinished frame at its end, and ends the segment
 * @param goodBytes the number of bytes before the first damaged or unfinished frame
 * @param messages the number of messages in the good bytes
 * @param states the number of changes of messages in the good bytes
 * @param removals the number of removals of messages in the good bytes
 */
public record SegmentReport(
    String file,
    long bytes,
    boolean closed,
    long goodBytes,
    long messages,
    long states,
    long removals) {}

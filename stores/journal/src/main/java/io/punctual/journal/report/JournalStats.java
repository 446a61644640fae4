package io.punctual.journal.report;

/**
 * The size of a journal.
 *
 * @param segments the number of segments
 * @param bytes the length of all segments together
 * @param neededBytes the bytes of segments that belong to present messages
 * @param hints the number of segments with a hint file that the next start can use
 * @param closed whether the journal was closed; otherwise the next start reads the last segment
 *     again
 * @param queues the number of queues
 * @param waiting the number of waiting messages
 * @param dead the number of dead letters
 */
public record JournalStats(
    int segments,
    long bytes,
    long neededBytes,
    int hints,
    boolean closed,
    int queues,
    long waiting,
    long dead) {}

package io.punctual.journal.report;

/**
 * The size of a journal.
 *
 * @param segments the number of segments
 * @param bytes the total length of all segments
 * @param neededBytes the bytes in segments that are needed for the current messages
 * @param hints the number of segments with a valid hint: a small file that the next start reads
 *     instead of the segment
 * @param closed whether every segment was ended; false while the journal is open, and after a crash
 * @param queues the number of queues, including deleted queues that older segments still name
 * @param waiting the number of waiting and leased messages
 * @param dead the number of dead letters
 * @param finished the number of remembered ids of finished messages
 */
public record JournalStats(
    int segments,
    long bytes,
    long neededBytes,
    int hints,
    boolean closed,
    int queues,
    long waiting,
    long dead,
    long finished) {}

package io.punctual.journal.report;

/**
 * How large a journal is.
 *
 * @param segments how many segments there are
 * @param bytes how long they are together
 * @param neededBytes how many bytes of these tell of messages that are there
 * @param hints how many segments have a hint file that the next start can use
 * @param closed whether it was closed; otherwise the next start reads the last segment again
 * @param queues how many queues there are
 * @param waiting how many messages wait
 * @param dead how many are dead letters
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

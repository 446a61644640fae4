package io.punctual.journal.report;

/**
 * What is kept of a damaged segment. What its lost bytes said is undone: a message may be missing,
 * or one that was settled, cancelled or changed may be there as it was before.
 *
 * @param file the file's name; a copy stays under this name with {@code .damaged} behind it
 * @param lostBytes how many bytes are lost
 * @param messages how many messages are kept, those included that have gone since
 * @param states how many changes of messages
 * @param removals how many removals of messages
 */
public record SalvagedSegment(
    String file, long lostBytes, long messages, long states, long removals) {}

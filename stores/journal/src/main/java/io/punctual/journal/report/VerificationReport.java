package io.punctual.journal.report;

import java.util.List;

/**
 * The result of the verification of a journal.
 *
 * @param segments a report for each segment that could be read, in the order in which they are read
 * @param damage the damage that was found; a journal with damage either does not open, or fails the
 *     operations that read the damage
 */
public record VerificationReport(List<SegmentReport> segments, List<Damage> damage) {}

package io.punctual.journal.report;

import java.util.List;

/**
 * The findings of a verification of a journal.
 *
 * @param segments each segment, in the order in which they are read
 * @param damage everything that is not as it was written; a journal with damage does not open, or
 *     fails when it reads the damage
 */
public record VerificationReport(List<SegmentReport> segments, List<Damage> damage) {}

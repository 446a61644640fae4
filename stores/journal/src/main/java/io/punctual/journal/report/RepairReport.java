package io.punctual.journal.report;

import java.util.List;

/**
 * A repair, made or offered.
 *
 * @param damage what is wrong; nothing is to be done if this is empty
 * @param segments what is kept of each damaged segment; a damaged manifest is put together again
 * @param done whether it was made
 */
public record RepairReport(List<Damage> damage, List<SalvagedSegment> segments, boolean done) {}

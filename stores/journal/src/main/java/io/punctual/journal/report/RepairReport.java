package io.punctual.journal.report;

import java.util.List;

/**
 * A completed or planned repair.
 *
 * @param damage the damage; no repair is needed if this is empty
 * @param segments the kept records of each damaged segment; a damaged manifest is rebuilt
 * @param done whether the repair was completed
 */
public record RepairReport(List<Damage> damage, List<SalvagedSegment> segments, boolean done) {}

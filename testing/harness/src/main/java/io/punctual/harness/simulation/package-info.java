/**
 * The simulation: real clients, workers and sessions on simulated time, one thread and a simulated
 * network, against the memory store. A run follows from its seed alone; the history checker judges
 * it: see {@link io.punctual.harness.simulation.Simulation}.
 */
@NullMarked
package io.punctual.harness.simulation;

import org.jspecify.annotations.NullMarked;

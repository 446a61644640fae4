/**
 * The simulation: real clients, workers and sessions on simulated time, with one thread and a
 * simulated network, against the memory store. The seed alone determines a run. The history checker
 * judges the run; see {@link io.punctual.harness.simulation.Simulation}.
 */
@NullMarked
package io.punctual.harness.simulation;

import org.jspecify.annotations.NullMarked;

/**
 * The simulation: real clients, workers and sessions on simulated time, with one thread and a
 * simulated network, against the memory store. The seed alone determines a run. See {@link
 * io.punctual.harness.simulation.Simulation}, whose runs the history checker judges, and {@link
 * io.punctual.harness.simulation.RecurringSimulation} for recurring messages.
 */
@NullMarked
package io.punctual.harness.simulation;

import org.jspecify.annotations.NullMarked;

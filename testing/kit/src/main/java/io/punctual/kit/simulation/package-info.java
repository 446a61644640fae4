/**
 * The simulation: real clients, workers and sessions on simulated time, with one thread and a
 * simulated network, against the memory store. The seed alone determines a run. See {@link
 * io.punctual.kit.simulation.Simulation}, whose runs the history checker judges, and {@link
 * io.punctual.kit.simulation.RecurringSimulation} for recurring messages.
 */
@NullMarked
package io.punctual.kit.simulation;

import org.jspecify.annotations.NullMarked;

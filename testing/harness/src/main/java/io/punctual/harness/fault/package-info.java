/**
 * A TCP proxy between a client and its server that injects network faults: see {@link
 * io.punctual.harness.fault.FaultProxy}.
 */
@NullMarked
package io.punctual.harness.fault;

import org.jspecify.annotations.NullMarked;

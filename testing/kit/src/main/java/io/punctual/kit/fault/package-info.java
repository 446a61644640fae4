/**
 * A TCP proxy between a client and its server that injects network faults: see {@link
 * io.punctual.kit.fault.FaultProxy}.
 */
@NullMarked
package io.punctual.kit.fault;

import org.jspecify.annotations.NullMarked;

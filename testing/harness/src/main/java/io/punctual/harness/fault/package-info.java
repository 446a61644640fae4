/**
 * A TCP proxy between a client and its server, which does to their connections what networks do:
 * see {@link io.punctual.harness.fault.FaultProxy}.
 */
@NullMarked
package io.punctual.harness.fault;

import org.jspecify.annotations.NullMarked;

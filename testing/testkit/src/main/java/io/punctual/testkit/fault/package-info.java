/**
 * A TCP proxy between a client and its server, which does to their connections what networks do:
 * see {@link io.punctual.testkit.fault.FaultProxy}.
 */
@NullMarked
package io.punctual.testkit.fault;

import org.jspecify.annotations.NullMarked;

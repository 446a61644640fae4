/**
 * The memory store: the reference implementation of the store SPI, for tests and for messages that
 * may be lost with the process.
 */
@NullMarked
package io.punctual.memory;

import org.jspecify.annotations.NullMarked;

/**
 * Parts that the stores in the process of the client share: their clock, their cursors and their
 * wake-up listeners. Exported to those stores alone; {@link io.punctual.spi.SessionTable} is its
 * public counterpart.
 */
@NullMarked
package io.punctual.embedded;

import org.jspecify.annotations.NullMarked;

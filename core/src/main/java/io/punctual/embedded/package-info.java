/**
 * Rules and parts that the stores share which decide in the client's process: the state table, the
 * selection of messages for a claim, engine time, cursors and wake-up listeners. Exported to these
 * stores alone; {@link io.punctual.spi.SessionTable} is its public counterpart.
 */
@NullMarked
package io.punctual.embedded;

import org.jspecify.annotations.NullMarked;

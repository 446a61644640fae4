/**
 * Parts of the stores that run in the client's process: the state table, the selection of messages
 * for a claim, kept answers, engine time, cursors and wake-up listeners. Exported to these stores
 * alone; {@link io.punctual.spi.SessionTable} is its public counterpart.
 */
@NullMarked
package io.punctual.embedded;

import org.jspecify.annotations.NullMarked;

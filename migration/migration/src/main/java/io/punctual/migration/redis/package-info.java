/**
 * Importers for delay queues that applications have built on sorted sets of Redis, and for Rqueue.
 */
@NullMarked
package io.punctual.migration.redis;

import org.jspecify.annotations.NullMarked;

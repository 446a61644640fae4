/**
 * Importers for delay queues on sorted sets of Redis: those of Rqueue and redis-delay-queue, and an
 * application's own.
 */
@NullMarked
package io.punctual.migration.redis;

import org.jspecify.annotations.NullMarked;

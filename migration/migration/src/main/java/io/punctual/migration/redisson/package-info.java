/**
 * Imports the delayed queues of Redisson, {@code RDelayedQueue}, without Redisson itself. {@link
 * io.punctual.migration.redisson.RedissonImport} is the entry point.
 */
@NullMarked
package io.punctual.migration.redisson;

import org.jspecify.annotations.NullMarked;

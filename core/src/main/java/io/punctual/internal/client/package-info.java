/**
 * The client behind {@code Punctual}: its queues, schedules and administration, and the store's
 * URL.
 */
@NullMarked
package io.punctual.internal.client;

import org.jspecify.annotations.NullMarked;

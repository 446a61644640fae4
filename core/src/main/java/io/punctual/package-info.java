/**
 * The API of Punctual: open a {@link io.punctual.Punctual}, get a {@link io.punctual.TimedQueue},
 * schedule messages, and work on them when they come back.
 */
@NullMarked
package io.punctual;

import org.jspecify.annotations.NullMarked;

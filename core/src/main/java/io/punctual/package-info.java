/**
 * The API of Punctual: open a {@link io.punctual.Punctual}, get a {@link io.punctual.TimedQueue},
 * schedule messages, and process them when they are due.
 *
 * <p>Users import these types from this package alone:
 *
 * <ul>
 *   <li>the client: {@code Punctual} and its builder, {@code TimedQueue}, {@code EnlistedQueue},
 *       and their asynchronous forms;
 *   <li>messages: {@code Message}, {@code Due}, {@code Codec}, {@code StoredMessage}, and the
 *       records that queries return;
 *   <li>consumers: {@code Worker}, {@code WorkerOptions}, {@code Handler} and its other forms,
 *       {@code Delivery}, {@code RetryPolicy};
 *   <li>outcomes, which are enums, and failures of calls, which extend {@code PunctualException}.
 * </ul>
 */
@NullMarked
package io.punctual;

import org.jspecify.annotations.NullMarked;

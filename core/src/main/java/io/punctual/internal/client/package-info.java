/**
 * The client behind {@code Punctual}, its queues, and the store's URL.
 *
 * <p>The classes form these groups:
 *
 * <ul>
 *   <li>the client: {@code Client}, {@code ClientQueue};
 *   <li>opening a store: {@code ClientUrl}, {@code OpeningRule}, {@code StoreOpening}; {@code
 *       LateStore} and {@code LatePartition} stand for a store that is not open yet.
 * </ul>
 */
@NullMarked
package io.punctual.internal.client;

import org.jspecify.annotations.NullMarked;

/**
 * Views of a queue for code that is written for collections: {@link
 * io.punctual.collection.DueQueue} hands out due messages as a {@code BlockingQueue}, {@link
 * io.punctual.collection.DelayedQueue} accepts elements with a delay, and {@link
 * io.punctual.collection.DelayedElements} replaces a {@code DelayQueue}. The elements are the
 * payloads. The views use the public API only, and hold no messages themselves.
 */
@NullMarked
package io.punctual.collection;

import org.jspecify.annotations.NullMarked;

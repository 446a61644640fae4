/** Queues as a caller sees them. */
@NullMarked
package io.punctual.http.queue;

import org.jspecify.annotations.NullMarked;

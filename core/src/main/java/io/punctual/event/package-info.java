/** Events of a client, for metrics and logs: see {@link io.punctual.event.Event}. */
@NullMarked
package io.punctual.event;

import org.jspecify.annotations.NullMarked;

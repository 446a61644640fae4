/** Who calls, and what a caller may do with which queues. */
@NullMarked
package io.punctual.http.access;

import org.jspecify.annotations.NullMarked;

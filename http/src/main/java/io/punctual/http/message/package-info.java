/** Messages: schedule, find, list, cancel, reschedule, redrive. */
@NullMarked
package io.punctual.http.message;

import org.jspecify.annotations.NullMarked;

/** What is true of many queues: workers, recurring messages, totals, and where an id is. */
@NullMarked
package io.punctual.http.survey;

import org.jspecify.annotations.NullMarked;

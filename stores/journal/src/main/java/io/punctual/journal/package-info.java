/**
 * The journal store: messages in append-only files of one folder, owned by one process, with an
 * index in memory that knows where each of them is. Durable, embedded, nothing to install.
 */
@NullMarked
package io.punctual.journal;

import org.jspecify.annotations.NullMarked;

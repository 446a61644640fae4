/**
 * The journal store: messages in append-only files of one folder, owned by one process, with an
 * index in memory of their locations. Durable, embedded, nothing to install.
 */
@NullMarked
package io.punctual.journal;

import org.jspecify.annotations.NullMarked;

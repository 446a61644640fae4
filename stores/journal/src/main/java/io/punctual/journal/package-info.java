/**
 * The journal store keeps messages in append-only files of a folder, which one process owns, and an
 * index of their locations in memory. It is durable and embedded, with nothing to install.
 */
@NullMarked
package io.punctual.journal;

import org.jspecify.annotations.NullMarked;

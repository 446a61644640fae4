/** Importers for the messages of other delay queues, and copies between stores. */
@NullMarked
package io.punctual.migration;

import org.jspecify.annotations.NullMarked;

/**
 * Importers for the messages of other delay queues, and copies between stores. Each importer has a
 * package of its own; this package has the types that all importers share.
 */
@NullMarked
package io.punctual.migration;

import org.jspecify.annotations.NullMarked;

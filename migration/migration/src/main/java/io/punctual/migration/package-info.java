/**
 * Importers for the messages of other delay queues, and copies between stores. The importers are in
 * packages by their source; this package has the types that all importers share.
 */
@NullMarked
package io.punctual.migration;

import org.jspecify.annotations.NullMarked;

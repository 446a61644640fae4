/**
 * The steps that importers share: a run stages entries at the source, schedules them, and removes
 * them from the source. Not exported.
 */
@NullMarked
package io.punctual.migration.internal;

import org.jspecify.annotations.NullMarked;

/**
 * Meters and observations by Micrometer. No id, lock name or text of an exception is ever a tag.
 */
@NullMarked
package io.punctual.micrometer;

import org.jspecify.annotations.NullMarked;

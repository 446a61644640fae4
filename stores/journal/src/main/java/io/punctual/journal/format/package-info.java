/**
 * The format of the files, which docs/journal-format.md describes: manifest, segments, frames,
 * records and hints.
 */
@NullMarked
package io.punctual.journal.format;

import org.jspecify.annotations.NullMarked;

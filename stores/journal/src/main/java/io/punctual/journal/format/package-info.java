/**
 * The bytes of the files, as docs/journal-format.md describes them: manifest, segments, frames,
 * records and hints.
 */
@NullMarked
package io.punctual.journal.format;

import org.jspecify.annotations.NullMarked;

/**
 * The reports of the tools about the files of a journal, and the exception that names damaged
 * bytes. The package is exported, and depends on no other package of the journal.
 */
@NullMarked
package io.punctual.journal.report;

import org.jspecify.annotations.NullMarked;

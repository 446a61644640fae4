/**
 * The reports of {@code JournalTool} about the files of a journal, and the exception for damaged
 * bytes. The package is exported, and depends on no other package of the journal.
 */
@NullMarked
package io.punctual.journal.report;

import org.jspecify.annotations.NullMarked;

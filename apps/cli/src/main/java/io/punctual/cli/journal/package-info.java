/** Commands for a journal's files. */
@NullMarked
package io.punctual.cli.journal;

import org.jspecify.annotations.NullMarked;

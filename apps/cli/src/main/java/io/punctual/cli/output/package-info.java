/** The console of the command: standard streams, tables and JSON, progress, colours, exit codes. */
@NullMarked
package io.punctual.cli.output;

import org.jspecify.annotations.NullMarked;

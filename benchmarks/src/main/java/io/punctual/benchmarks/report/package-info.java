/** Results as a table, as JSON lines, and as an HTML file with charts. */
@NullMarked
package io.punctual.benchmarks.report;

import org.jspecify.annotations.NullMarked;

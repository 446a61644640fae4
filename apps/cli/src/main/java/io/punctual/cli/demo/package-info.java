/** The demo: orders with time-outs, and the check of what became of them. */
@NullMarked
package io.punctual.cli.demo;

import org.jspecify.annotations.NullMarked;

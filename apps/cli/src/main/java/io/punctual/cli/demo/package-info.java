/** The demo: orders with time-outs, and the check of each order's fate. */
@NullMarked
package io.punctual.cli.demo;

import org.jspecify.annotations.NullMarked;

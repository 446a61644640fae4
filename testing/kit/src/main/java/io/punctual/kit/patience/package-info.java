/** An extension of JUnit that makes the waits of all tests long enough for a busy machine. */
@NullMarked
package io.punctual.kit.patience;

import org.jspecify.annotations.NullMarked;

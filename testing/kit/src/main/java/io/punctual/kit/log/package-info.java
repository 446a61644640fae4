/** The log of a test. */
@NullMarked
package io.punctual.kit.log;

import org.jspecify.annotations.NullMarked;

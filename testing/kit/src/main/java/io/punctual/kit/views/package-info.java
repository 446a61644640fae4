/** A store whose messages every program must show in the same way. */
@NullMarked
package io.punctual.kit.views;

import org.jspecify.annotations.NullMarked;

/** The distributed locks as a lock provider for ShedLock. */
@NullMarked
package io.punctual.shedlock;

import org.jspecify.annotations.NullMarked;

/** Commands for distributed locks. */
@NullMarked
package io.punctual.cli.lock;

import org.jspecify.annotations.NullMarked;

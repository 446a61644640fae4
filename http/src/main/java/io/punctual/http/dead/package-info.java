/** Dead letters: list, group, redrive, delete. */
@NullMarked
package io.punctual.http.dead;

import org.jspecify.annotations.NullMarked;

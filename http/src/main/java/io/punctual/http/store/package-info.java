/** The part of the API that serves HTTP stores. */
@NullMarked
package io.punctual.http.store;

import org.jspecify.annotations.NullMarked;

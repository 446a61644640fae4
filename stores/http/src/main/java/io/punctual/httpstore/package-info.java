/** The store behind a Punctual server, by HTTP. */
@NullMarked
package io.punctual.httpstore;

import org.jspecify.annotations.NullMarked;

/** Tokens that are made by the API, and kept in the store. */
@NullMarked
package io.punctual.http.token;

import org.jspecify.annotations.NullMarked;

/** Texts of requests: UTF-8, names, durations and instants. */
@NullMarked
package io.punctual.http.text;

import org.jspecify.annotations.NullMarked;

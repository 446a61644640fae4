/** Answers to requests that fail: problem details by RFC 9457. */
@NullMarked
package io.punctual.http.problem;

import org.jspecify.annotations.NullMarked;

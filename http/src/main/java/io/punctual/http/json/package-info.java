/** Strict reading and writing of JSON on the streaming parser, without data binding. */
@NullMarked
package io.punctual.http.json;

import org.jspecify.annotations.NullMarked;

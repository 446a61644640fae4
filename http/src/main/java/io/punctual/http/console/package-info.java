/** The files of the console: static modules without a build, which call the HTTP API. */
@NullMarked
package io.punctual.http.console;

import org.jspecify.annotations.NullMarked;

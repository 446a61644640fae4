/** The API in a container of servlets. Needs {@code jakarta.servlet} 6.0 or later. */
@NullMarked
package io.punctual.http.servlet;

import org.jspecify.annotations.NullMarked;

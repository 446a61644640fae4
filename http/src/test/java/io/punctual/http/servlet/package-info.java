@NullMarked
package io.punctual.http.servlet;

import org.jspecify.annotations.NullMarked;

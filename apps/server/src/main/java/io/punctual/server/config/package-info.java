/** The configuration of the server: its file, its values, and what is wrong with them. */
@NullMarked
package io.punctual.server.config;

import org.jspecify.annotations.NullMarked;

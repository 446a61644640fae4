/**
 * Punctual in applications of the Spring Framework: annotated listeners, the registry that starts
 * and stops them, and a template for producers.
 *
 * <p>The public types are for users. Most other classes read the annotations ({@code Listener*},
 * {@code Handler*}), choose codecs ({@code *Codecs}) or send the changes of a transaction ({@code
 * PendingChanges}). The other classes are in this package so that they need not be public.
 */
@NullMarked
package io.punctual.spring;

import org.jspecify.annotations.NullMarked;

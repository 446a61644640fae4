/**
 * One shape of data for the command line, the Actuator and the HTTP API: records of texts, numbers,
 * booleans, lists and maps, so that every JSON library writes the same text. Instants are texts in
 * ISO 8601 to the millisecond, spans are numbers whose names end with {@code Millis}, and constants
 * are in capitals.
 */
@NullMarked
package io.punctual.view;

import org.jspecify.annotations.NullMarked;

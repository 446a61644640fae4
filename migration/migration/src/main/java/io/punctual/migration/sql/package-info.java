/** Importers for the tables of db-scheduler and of Quartz. */
@NullMarked
package io.punctual.migration.sql;

import org.jspecify.annotations.NullMarked;

/** The SQL store of Punctual: PostgreSQL, MariaDB, MySQL and H2. */
module io.punctual.jdbc {
  requires static com.zaxxer.hikari;
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive java.sql;
  requires org.slf4j;

  exports io.punctual.jdbc;

  provides io.punctual.spi.StoreProvider with
      io.punctual.jdbc.JdbcStoreProvider;
}

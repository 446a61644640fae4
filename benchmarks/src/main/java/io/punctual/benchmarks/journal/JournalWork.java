package io.punctual.benchmarks.journal;

/** The measurements of a journal. Each measurement has its own process. */
enum JournalWork {
  PLAIN_BATCHES,
  PARTITION_BATCHES,
  CLIENT_BATCHES,
  PLAIN_SMALL,
  SINGLE_CALLS,
  CLAIMS_AND_ACKS,
  LATENESS,
  MANY_PENDING,
  PREAD,
  MAPPED_FILE
}

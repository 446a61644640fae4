/** The pages of the site in reading order. */
export const sidebar = [
  {
    text: 'Start',
    items: [
      { text: 'Punctual', link: '/README' },
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Examples', link: '/docs/examples' },
      { text: 'Guarantees', link: '/docs/guarantees' },
      { text: 'Comparison', link: '/docs/comparison' },
      { text: 'Coming from …', link: '/docs/coming-from' },
      { text: 'From Redisson', link: '/docs/from-redisson' },
      { text: 'Import', link: '/docs/importing' },
    ],
  },
  {
    text: 'Tasks',
    items: [
      { text: 'Order time-outs', link: '/docs/tasks/order-timeouts' },
      { text: 'Reminders', link: '/docs/tasks/reminders' },
      { text: 'Retries of webhooks', link: '/docs/tasks/webhooks' },
      { text: 'Database and outbox', link: '/docs/tasks/outbox' },
      { text: 'Jobs that repeat', link: '/docs/tasks/repeat' },
      { text: 'A queue per tenant', link: '/docs/tasks/tenants' },
      { text: 'Idempotent handlers', link: '/docs/tasks/idempotent-handlers' },
      { text: 'Payloads that evolve', link: '/docs/tasks/payloads' },
      { text: 'Dead letters', link: '/docs/tasks/dead-letters' },
      { text: 'Tests', link: '/docs/tasks/tests' },
    ],
  },
  {
    text: 'Modules',
    items: [
      { text: 'Redis', link: '/docs/redis' },
      { text: 'Journal', link: '/docs/journal' },
      { text: 'SQL', link: '/docs/jdbc' },
      { text: 'RabbitMQ', link: '/docs/rabbitmq' },
      { text: 'Kafka', link: '/docs/kafka' },
      { text: 'Locks', link: '/docs/locks' },
      { text: 'Spring Boot', link: '/docs/spring' },
    ],
  },
  {
    text: 'Operation',
    items: [
      { text: 'Configuration', link: '/docs/configuration' },
      { text: 'Command line', link: '/docs/cli' },
      { text: 'Copy to another store', link: '/docs/copy' },
      { text: 'Graceful stop', link: '/docs/shutdown' },
      { text: 'Metrics and alerts', link: '/docs/metrics' },
      { text: 'Troubleshooting', link: '/docs/troubleshooting' },
      { text: 'Threads', link: '/docs/threads' },
    ],
  },
  {
    text: 'Inside',
    items: [
      { text: 'How it works', link: '/docs/how-it-works' },
      { text: 'Journal format', link: '/docs/journal-format' },
      { text: 'Simulation', link: '/docs/simulation' },
      { text: 'Benchmarks', link: '/docs/benchmarks' },
      { text: 'Benchmarks: queues', link: '/docs/benchmarks-queues' },
      { text: 'Benchmarks: experiments', link: '/docs/benchmarks-experiments' },
      { text: 'Decisions', link: '/docs/adr/README' },
      { text: 'Contributing', link: '/CONTRIBUTING' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
  },
]

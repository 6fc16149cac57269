import { writeSync } from 'node:fs'

/** Several times as long as the slowest process takes on a slow machine. */
const limitMs = 15 * 60_000
const standardError = 2

/**
 * Ends a process of tests that does not end by itself, and prints what kept it: a test that waits for ever has a limit of its own
 * (`--test-timeout`), what tests left open has none. `npm run test:files` loads it into every process of tests (`--import`).
 */
setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ')
  writeSync(standardError, `This process did not end within ${limitMs / 60_000} minutes; it holds ${open}.\n`)
  process.exit(1)
}, limitMs).unref()

import { writeSync } from 'node:fs'

/** Several times as long as the slowest file takes on a slow machine. */
const limitMs = 15 * 60_000
const standardError = 2

/**
 * Ends a test file that does not end by itself, and says what kept it: a test that waits for ever has a limit of its own
 * (`--test-timeout`), what tests left open has none. Loaded into every process of the test runner (`--import`).
 */
if (process.env.NODE_TEST_CONTEXT !== undefined)
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ')
    writeSync(standardError, `This file did not end within ${limitMs / 60_000} minutes; it holds ${open}.\n`)
    process.exit(1)
  }, limitMs).unref()

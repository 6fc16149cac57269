import { writeSync } from 'node:fs'

/** Several times as long as the slowest process takes on a slow machine, and longer than any of its tests may take. */
const limitMs = 30 * 60_000
/** Several times as long as closing what the tests of a process share takes. The test of this file sets a shorter time. */
const closeMs = Number(process.env.SEPIA_TEST_CLOSE_MS ?? 2 * 60_000)
const standardError = 2

/**
 * Ends a process of tests that does not end by itself, and prints which resources are still open. A test that hangs has its own limit
 * (`--test-timeout`); resources that tests left open have none. `npm run test:files` loads this into every process of tests (`--import`).
 */
setTimeout(end, limitMs, `within ${limitMs / 60_000} minutes`).unref()
let closing: NodeJS.Timeout | undefined

/** Also ends the process if it is still open some time after its last test. A reporter calls this. */
export function noteTestsLeft(count: number): void {
  clearTimeout(closing)
  if (count === 0) closing = setTimeout(end, closeMs, `within ${closeMs / 1000} s of its tests`).unref()
}

function end(late: string): void {
  const open = process.getActiveResourcesInfo().join(', ')
  writeSync(standardError, `This process did not end ${late}; it holds ${open}.\n`)
  process.exit(1)
}

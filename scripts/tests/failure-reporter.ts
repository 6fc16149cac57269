import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { noteTestsLeft } from './limit-test-process.ts'
import { failureMark } from './test-processes.ts'

const root = process.cwd()
const longestMessage = 500
/** Why a suite or a test fails that has no fault of its own. */
const followed: readonly unknown[] = ['subtestsFailed', 'cancelledByParent']

/** Prints each failing test in one line as soon as it ends: its file, its name and the start of the message. Counts the tests that are left. */
// biome-ignore lint/style/noDefaultExport: Node imports the default export of a reporter.
export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let left = 0
  for await (const { type, data } of events) {
    if (type === 'test:enqueue' && data.nesting === 0) left += 1
    if (type === 'test:complete' && data.nesting === 0) left -= 1
    noteTestsLeft(left)
    if (type !== 'test:complete') continue
    const { details, file = '', line, name } = data
    const { error } = details
    if (details.passed || error === undefined || ('failureType' in error && followed.includes(error.failureType))) continue
    yield `${failureMark}${relative(root, file)}:${line} ${name}: ${error.message.replaceAll(/\s+/g, ' ').trim().slice(0, longestMessage)}\n`
  }
}

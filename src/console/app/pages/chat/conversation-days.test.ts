import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'

openBrowserPage()
const { groupByDay } = await import('./conversation-days.ts')

const now = new Date(2026, 10, 27, 0, 30).getTime()
const changed = (title: string, at: Date, pinned = false) => ({ id: title, title, pinned, leaf: null, changedAt: at.getTime() })

test('conversations are grouped by the day of their last change, with pinned ones first', () => {
  const groups = groupByDay(
    [
      changed('pinned', new Date(2026, 1, 1), true),
      changed('now', new Date(2026, 10, 27, 0, 29)),
      changed('an hour ago', new Date(2026, 10, 26, 23, 30)),
      changed('on Wednesday', new Date(2026, 10, 25, 12)),
      changed('on Saturday', new Date(2026, 10, 21, 1)),
      changed('a week ago', new Date(2026, 10, 20, 23, 59)),
      changed('in October', new Date(2026, 9, 31)),
      changed('a year ago', new Date(2025, 10, 27)),
    ],
    now,
  )
  assert.deepEqual(
    groups.map(({ title, conversations }) => [title, ...conversations.map((each) => each.title)]),
    [
      ['Pinned', 'pinned'],
      ['Today', 'now'],
      ['Yesterday', 'an hour ago'],
      ['Wednesday', 'on Wednesday'],
      ['Saturday', 'on Saturday'],
      ['November 2026', 'a week ago'],
      ['October 2026', 'in October'],
      ['November 2025', 'a year ago'],
    ],
  )
})

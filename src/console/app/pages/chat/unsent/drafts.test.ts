import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { batch } from '@preact/signals'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'

const page = openBrowserPage('/console/chat')
const { draftOf, keepDraft, keepDrafts } = await import('./drafts.ts')

const key = 'sepia.work.drafts'

/** Stores drafts as another tab of this browser would. */
function keepElsewhere(texts: Readonly<Record<string, string>>): void {
  page.kept.set(key, JSON.stringify({ texts }))
}

function kept(): unknown {
  return JSON.parse(page.kept.get(key) ?? '{}').texts
}

suite('drafts of two tabs', () => {
  beforeEach(() => {
    for (const place of ['new', 'a', 'b']) keepDraft(place, null)
  })

  test('what is written here leaves what is written elsewhere', () => {
    keepDraft('a', 'ours')
    keepElsewhere({ a: 'ours', new: 'theirs' })
    keepDraft('a', 'ours, longer')
    assert.deepEqual(kept(), { a: 'ours, longer', new: 'theirs' })
  })

  test('what was sent elsewhere does not come back', () => {
    keepElsewhere({ b: 'theirs' })
    keepDraft('a', 'ours')
    keepElsewhere({ a: 'ours' })
    keepDraft('a', 'ours, longer')
    assert.deepEqual(kept(), { a: 'ours, longer' })
    assert.equal(draftOf('b'), undefined)
  })

  test('what is sent here takes nothing along but itself', () => {
    keepDraft('new', 'ours')
    keepElsewhere({ new: 'ours', b: 'theirs' })
    keepDraft('new', null)
    assert.deepEqual(kept(), { b: 'theirs' })
    assert.equal(draftOf('new'), undefined)
  })

  test('several places change at once, where what is kept is written only later', () => {
    keepDraft('a', 'one')
    batch(() => keepDrafts({ a: null, b: 'two' }))
    assert.deepEqual(kept(), { b: 'two' })
  })

  test('where the browser keeps nothing, all of this tab stands', () => {
    keepDraft('a', 'one')
    page.kept.delete(key)
    keepDraft('b', 'two')
    assert.deepEqual([draftOf('a'), draftOf('b')], ['one', 'two'])
  })
})

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

  test('writing a draft here keeps drafts written in the other tab', () => {
    keepDraft('a', 'ours')
    keepElsewhere({ a: 'ours', new: 'theirs' })
    keepDraft('a', 'ours, longer')
    assert.deepEqual(kept(), { a: 'ours, longer', new: 'theirs' })
  })

  test('a message sent in the other tab does not return as a draft', () => {
    keepElsewhere({ b: 'theirs' })
    keepDraft('a', 'ours')
    keepElsewhere({ a: 'ours' })
    keepDraft('a', 'ours, longer')
    assert.deepEqual(kept(), { a: 'ours, longer' })
    assert.equal(draftOf('b'), undefined)
  })

  test('sending a message here removes only its own draft', () => {
    keepDraft('new', 'ours')
    keepElsewhere({ new: 'ours', b: 'theirs' })
    keepDraft('new', null)
    assert.deepEqual(kept(), { b: 'theirs' })
    assert.equal(draftOf('new'), undefined)
  })

  test('several drafts change in one batch', () => {
    keepDraft('a', 'one')
    batch(() => keepDrafts({ a: null, b: 'two' }))
    assert.deepEqual(kept(), { b: 'two' })
  })

  test('this tab keeps all its drafts if the browser stores nothing', () => {
    keepDraft('a', 'one')
    page.kept.delete(key)
    keepDraft('b', 'two')
    assert.deepEqual([draftOf('a'), draftOf('b')], ['one', 'two'])
  })
})
